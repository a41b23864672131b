#include "runtime/scenario/workload.hpp"

#include "runtime/scenario/message_generator.hpp"

#include <fmt/format.h>

#include <fstream>
#include <memory>
#include <string>
#include <utility>

namespace pawl {
namespace {

/// The undone part of one workload.
class workload_stream {
 public:
  std::vector<std::string> lines;  // of a file, in order
  std::vector<std::unique_ptr<message_generator>> generators;
  std::uint64_t count = 0;
  std::uint64_t done = 0;

  [[nodiscard]] std::uint64_t left() const { return count - done; }

  scenario_message next(std::uint64_t number, seeded_random& random) {
    const std::uint64_t at = done++;
    if (!generators.empty()) {
      return generators[random.below(generators.size())]->make(number);
    }
    scenario_message line;
    line.payload = std::move(lines[at]);
    line.headers.push_back({std::string(scenario_number_header), fmt::format("{}", number)});
    return line;
  }
};

result<workload_stream> read_lines(const workload_config& workload) {
  std::ifstream file(workload.file, std::ios::binary);
  workload_stream stream;
  std::string line;
  while (std::getline(file, line)) {
    if (!line.empty()) {
      stream.lines.push_back(line);
    }
  }
  if (!file.eof()) {
    return error{
        fault::refused, "file",
        fmt::format("{}: `{}` can't be read", to_text(workload.where), workload.file.string())};
  }
  stream.count = stream.lines.size();
  return stream;
}

std::string known_types(std::span<const declared_message> declared, const std::string& given) {
  std::vector<std::string> names;
  for (const declared_message& one : declared) {
    names.push_back(one.contract.type);
  }
  const std::string nearest = nearest_name(given, names);
  return nearest.empty() ? fmt::format("it declares {}", fmt::join(names, ", "))
                         : fmt::format("did you mean `{}`?", nearest);
}

/// One generator for each contract that the type has (`when` tells them apart).
result<workload_stream> open_generators(const workload_config& workload,
                                        std::span<const declared_message> declared,
                                        const catalog& tables, seeded_random& random,
                                        version_counters& versions) {
  workload_stream stream;
  stream.count = workload.count;
  for (const declared_message& one : declared) {
    if (one.contract.type != workload.type) {
      continue;
    }
    auto fields = plan_fields(one, tables, workload);
    if (!fields) {
      return fields.error();
    }
    stream.generators.push_back(
        std::make_unique<message_generator>(workload, one, std::move(*fields), random, versions));
  }
  if (stream.generators.empty()) {
    return error{
        fault::refused, "generate",
        fmt::format("{}: the node file declares no message type `{}`; {}", to_text(workload.where),
                    workload.type, known_types(declared, workload.type))};
  }
  return stream;
}

}  // namespace

result<std::vector<scenario_message>> make_workload(const scenario_config& scenario,
                                                    std::span<const declared_message> declared,
                                                    const catalog& tables, std::uint64_t seed) {
  seeded_random fields(seed, "workload");
  seeded_random turns(seed, "interleaving");
  version_counters versions;
  std::vector<workload_stream> streams;
  std::uint64_t left = 0;
  for (const workload_config& workload : scenario.workloads) {
    auto stream = workload.file.empty()
                      ? open_generators(workload, declared, tables, fields, versions)
                      : read_lines(workload);
    if (!stream) {
      return stream.error();
    }
    left += stream->count;
    streams.push_back(std::move(*stream));
  }
  std::vector<scenario_message> all;
  all.reserve(left);
  for (; left > 0; --left) {
    // Each workload's chance is its share of what is left: all end together.
    std::uint64_t drawn = turns.below(left);
    for (workload_stream& stream : streams) {
      if (drawn < stream.left()) {
        all.push_back(stream.next(all.size(), fields));
        break;
      }
      drawn -= stream.left();
    }
  }
  return all;
}

}  // namespace pawl
