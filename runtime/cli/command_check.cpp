#include "protocol/limits.hpp"
#include "runtime/cli/commands.hpp"
#include "runtime/config/check_report.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

namespace pawl {
namespace {

result<message_ptr> read_message(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    return error{fault::refused, "message",
                 file + ": the message can't be read; is the path right?"};
  }
  auto made = std::make_shared<message>();
  made->payload.assign(std::istreambuf_iterator<char>(in), {});
  made->origin = {"check", file, 0, 0, 0};
  return message_ptr(std::move(made));
}

}  // namespace

exit_code command_check(const console& out, const std::string& file,
                        const std::optional<std::string>& message_file) {
  message_ptr given;
  if (message_file.has_value()) {
    auto read = read_message(*message_file);
    if (!read.ok()) {
      return out.fail(read.error());
    }
    given = *read;
  }
  const check_report report = check_node_file(file, process_environment(), open_store, given);
  out.line(to_text(report));
  if (out.json()) {
    out.document(nlohmann::json::parse(to_json(report)));
  }
  return report.problems.empty() ? exit_code::good
         : report.unreachable    ? exit_code::unreachable
                                 : exit_code::refused;
}

}  // namespace pawl
