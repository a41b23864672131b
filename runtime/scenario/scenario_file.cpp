#include "runtime/scenario/scenario_file.hpp"

#include "runtime/config/section.hpp"
#include "runtime/config/yaml_parse.hpp"
#include "runtime/scenario/expression.hpp"
#include "runtime/scenario/scenario_options.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace pawl {
namespace {

constexpr double parts_of_one = 1'000'000;
constexpr std::array<std::pair<std::string_view, expectation_kind>, 3> named_expectations{
    {{"effects_once", expectation_kind::effects_once},
     {"order_per_entity", expectation_kind::order_per_entity},
     {"nothing_lost", expectation_kind::nothing_lost}}};

/// Reads the sections into a configuration. Lives for one file.
class scenario_reader {
 public:
  scenario_reader(const std::string& file, const yaml_node& root, config_problems& problems)
      : root_(&root, scenario_options(), "", root.where, problems) {
    config_.file = file;
    config_.where = root.where;
  }

  scenario_config read() {
    config_.name = root_.text("scenario");
    config_.seed = static_cast<std::uint64_t>(root_.number("seed"));
    config_.node = beside(root_.text("node"));
    if (root_.has("setup")) {
      config_.setup = beside(root_.text("setup"));
    }
    if (root_.has("broker")) {
      config_.broker = root_.text("broker") == "log" ? broker_kind::log : broker_kind::queue;
    }
    for (const yaml_node& item : root_.items("workload")) {
      read_workload(item);
    }
    if (root_.has("faults")) {
      read_faults(root_.section("faults"));
    }
    for (const yaml_node& item : root_.items("expect")) {
      read_expectation(item);
    }
    config_.compare_naive = root_.text("compare") == "naive";
    return std::move(config_);
  }

 private:
  [[nodiscard]] std::filesystem::path beside(const std::string& written) const {
    return (config_.file.parent_path() / written).lexically_normal();
  }

  void read_workload(const yaml_node& item) {
    const config_section section(&item, root_.table(), "workload[]", item.where, root_.problems());
    workload_config workload;
    workload.where = item.where;
    if (item.kind == yaml_kind::map && section.has("generate") == section.has("file")) {
      section.problem(item.where, "a workload is generated or read from a file, one of the two",
                      "write `generate: TYPE` or `file: NAME`");
    }
    if (section.has("file")) {
      workload.file = beside(section.text("file"));
      for (const std::string_view unused : {"count", "entities", "skew", "fields"}) {
        if (section.has(unused)) {
          section.problem(section.where(unused),
                          '`' + std::string(unused) + "` says how messages are generated",
                          "remove it: a file is sent as it is");
        }
      }
    }
    workload.type = section.text("generate");
    workload.count = static_cast<std::uint64_t>(section.number("count"));
    workload.entities = static_cast<std::uint64_t>(section.number("entities"));
    workload.skew = section.text("skew") == "zipf" ? entity_skew::zipf : entity_skew::uniform;
    for (const yaml_entry& entry : section.entries("fields")) {
      workload.fields[entry.key] = read_hint(entry);
    }
    config_.workloads.push_back(std::move(workload));
  }

  [[nodiscard]] field_hint read_hint(const yaml_entry& entry) const {
    const config_section section(&entry.value, root_.table(), "workload[].fields.*", entry.where,
                                 root_.problems());
    field_hint hint;
    if (section.has("min")) {
      hint.low = section.number("min");
    }
    if (section.has("max")) {
      hint.high = section.number("max");
    }
    if (hint.low && hint.high && *hint.low > *hint.high) {
      section.problem(section.where("max"), "`max` is below `min`", "exchange the two");
    }
    for (const std::string& choice : section.texts("values")) {
      hint.choices.push_back(value::text(choice));
    }
    return hint;
  }

  void read_faults(const config_section& section) {
    const auto share = [](const config_section& from, std::string_view name) {
      return static_cast<double>(from.number(name)) / parts_of_one;
    };
    fault_config& faults = config_.faults;
    faults.duplicate = share(section, "duplicate");
    faults.lost_ack = share(section, "lost_ack");
    faults.worker_throws = share(section, "worker_throws");
    if (section.has("reorder")) {
      const config_section reorder = section.section("reorder");
      faults.reorder_share = share(reorder, "share");
      faults.reorder_distance = static_cast<std::uint64_t>(reorder.number("distance"));
    }
    if (section.has("crash")) {
      const config_section crash = section.section("crash");
      const auto point = fault_point_from(crash.text("at"));
      config_.faults.crash = crash_config{point.value_or(fault_point::after_commit_before_ack),
                                          static_cast<std::uint64_t>(crash.number("every"))};
    }
    if (config_.broker) {
      if (const auto wrong = refuse_faults(faults, *config_.broker)) {
        section.problem(section.where(wrong->option), wrong->what, wrong->fix);
      }
    }
  }

  void read_expectation(const yaml_node& item) {
    expectation_config wanted;
    wanted.where = item.where;
    if (item.kind == yaml_kind::scalar) {
      std::vector<std::string> names;
      for (const auto& [name, kind] : named_expectations) {
        names.emplace_back(name);
        if (item.text == name) {
          wanted.kind = kind;
          config_.expectations.push_back(wanted);
          return;
        }
      }
      root_.problem(item.where, "unknown expectation `" + item.written + '`',
                    suggest(item.text, names));
      return;
    }
    const config_section section(&item, root_.table(), "expect[]", item.where, root_.problems());
    wanted.kind = expectation_kind::query;
    wanted.query = section.text("query");
    wanted.equals = section.text("equals");
    wanted.type = section.text("type");
    if (!wanted.equals.empty()) {
      if (const auto parsed = parse_expression(wanted.equals); !parsed) {
        section.problem(section.where("equals"), parsed.error().text, parsed.error().code);
      }
    }
    config_.expectations.push_back(std::move(wanted));
  }

  config_section root_;
  scenario_config config_;
};

scenario_file read_tree(const std::string& file, const std::optional<yaml_node>& root,
                        config_problems& problems) {
  scenario_file read;
  if (root) {
    scenario_config config = scenario_reader(file, *root, problems).read();
    if (problems.empty()) {
      read.config = std::move(config);
    }
  }
  read.problems = problems.take_sorted();
  return read;
}

}  // namespace

std::optional<fault_refusal> refuse_faults(const fault_config& faults, broker_kind broker) {
  if (broker == broker_kind::log && faults.lost_ack > 0) {
    return fault_refusal{"lost_ack", "a log has positions and no acknowledgements to lose",
                         "remove `lost_ack`, or write `broker: queue`"};
  }
  if (broker == broker_kind::queue && faults.crash &&
      faults.crash->at == fault_point::after_ack_before_position) {
    return fault_refusal{"crash", "a queue has acknowledgements and no position to write",
                         "write `at: after_commit_before_ack`, or `broker: log`"};
  }
  return std::nullopt;
}

scenario_file read_scenario_file(const std::string& file, const environment_lookup& environment) {
  config_problems problems;
  return read_tree(file, parse_yaml_file(file, environment, problems), problems);
}

scenario_file parse_scenario_file(const std::string& file, std::string_view text,
                                  const environment_lookup& environment) {
  config_problems problems;
  return read_tree(file, parse_yaml(file, text, environment, problems), problems);
}

}  // namespace pawl
