#include "runtime/config/check_report.hpp"

#include "runtime/config/bind.hpp"
#include "runtime/config/database_file.hpp"
#include "runtime/config/explain.hpp"
#include "runtime/config/node_file.hpp"

#include <utility>

namespace pawl {
namespace {

/// Binds the file's effects to its database. Lives for one report.
class database_check {
 public:
  database_check(const node_config& config, check_report& report)
      : config_(config), report_(report) {}

  void run(const store_opener& open, const message_ptr& message) {
    if (auto missing = missing_database(config_)) {
      report_.problems.push_back(std::move(*missing));
      return;
    }
    const result<std::unique_ptr<store>> opened = open(config_.store_url);
    if (!opened) {
      return fail(opened.error(), "check the URL, and that the database runs");
    }
    store& database = **opened;
    result<std::vector<std::string>> known = database.table_names();
    if (!known) {
      return fail(known.error(), "check that the database runs, and the rights in it");
    }
    const result<catalog> tables = database.read_catalog(tables_of(config_));
    if (!tables) {
      return fail(tables.error(), "check the rights in the database");
    }
    shape_registry shapes;
    bound_handlers bound =
        bind_handlers(config_, {&*tables, &shapes, std::move(*known), database.kind()});
    report_.problems = std::move(bound.problems);
    if (report_.problems.empty() && message != nullptr) {
      report_.message = explain_message(config_, bound.handlers, *tables, shapes, message);
    }
  }

 private:
  void fail(const error& why, std::string fix) {
    report_.unreachable = why.kind == fault::retry || why.kind == fault::contended;
    report_.problems.push_back(
        {config_.store_where, "the database can't be read: " + why.text, std::move(fix)});
  }

  const node_config& config_;
  check_report& report_;
};

}  // namespace

check_report check_node_file(const std::string& file, const environment_lookup& environment,
                             const store_opener& open, const message_ptr& message) {
  check_report report;
  report.file = file;
  node_file read = read_node_file(file, environment);
  report.problems = std::move(read.problems);
  if (!read.config) {
    return report;
  }
  database_check(*read.config, report).run(open, message);
  if (report.problems.empty()) {
    report.promises = promises_of(*read.config);
  }
  return report;
}

}  // namespace pawl
