#include "runtime/scenario/probe_table.hpp"

#include "runtime/scenario/scenario_message.hpp"
#include "runtime/scenario/seeded_random.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace pawl {

std::string probe_table_script(std::string_view store_kind) {
  const std::string_view sequence = store_kind == "postgresql"
                                        ? "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY"
                                        : "INTEGER PRIMARY KEY AUTOINCREMENT";
  return fmt::format(
      "CREATE TABLE {} (sequence {}, run bigint NOT NULL, entity_type text NOT NULL, "
      "entity_key text NOT NULL, message bigint NOT NULL);",
      probe_table, sequence);
}

const effect_shape* probe_shape(shape_registry& shapes) {
  effect_shape shape;
  shape.kind = effect_kind::insert;
  shape.table = probe_table;
  shape.columns = {"run", "entity_type", "entity_key", "message"};
  return shapes.intern(std::move(shape));
}

throw_plan::throw_plan(std::uint64_t seed, double share, int attempts, std::size_t messages)
    : seed_(seed), share_(share), thrown_max_(attempts - 1), tallies_(messages) {}

bool throw_plan::throws(std::uint64_t message) {
  if (share_ <= 0 || message >= tallies_.size()) {
    return false;
  }
  tally& counted = tallies_[message];
  const std::uint32_t attempt = counted.attempts.fetch_add(1, std::memory_order_relaxed);
  if (!falls_within(share_, mix(seed_, message, attempt)) ||
      counted.thrown.fetch_add(1, std::memory_order_relaxed) >= thrown_max_) {
    return false;
  }
  thrown_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

probing_handler::probing_handler(std::shared_ptr<const handler> inner, throw_plan& throws,
                                 std::uint32_t run)
    : inner_(std::move(inner)), throws_(throws), run_(run) {}

void probing_handler::handle(const addressed_message& message,
                             const std::optional<std::string>& state, effect_list& out) const {
  const auto number = scenario_number(*message.source);
  if (number && throws_.throws(*number)) {
    throw std::runtime_error("the scenario made this attempt fail (worker_throws)");
  }
  inner_->handle(message, state, out);
  if (number && message.contract->pair != policies::natural) {
    out.add_insert(probe_table,
                   {{"run", run_},
                    {"entity_type", std::string_view(message.entity.type)},
                    {"entity_key", std::string_view(message.entity.key)},
                    {"message", *number}},
                   {});
  }
}

void add_probes(std::vector<handler_registration>& handlers, shape_registry& shapes,
                throw_plan& throws, std::uint32_t run) {
  const effect_shape* shape = probe_shape(shapes);
  for (handler_registration& one : handlers) {
    one.run = std::make_shared<probing_handler>(std::move(one.run), throws, run);
    if (!one.shapes.empty() && one.contract->pair != policies::natural) {
      one.shapes.push_back(shape);
    }
  }
}

}  // namespace pawl
