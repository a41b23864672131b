// What the runner itself costs a message: guards, planning and statements over a session that does
// nothing and finds everything fresh. `bench_runner [messages in a batch] [entities]`.
#include "storage/runner.hpp"

#include "protocol/contract.hpp"
#include "protocol/hash.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace pawl;

class null_session final : public commit_session {
 public:
  status begin() override { return {}; }
  result<std::vector<shard_id>> fence(std::span<const shard_grant> /*shards*/) override {
    return std::vector<shard_id>{};
  }
  result<std::vector<bool>> claim(std::span<const stored_ref> refs) override {
    return std::vector<bool>(refs.size(), true);
  }
  result<std::vector<std::optional<guard_trace>>> insert_ledger(
      std::span<const ledger_row> rows) override {
    return std::vector<std::optional<guard_trace>>(rows.size());
  }
  result<std::vector<std::optional<guard_trace>>> find(std::span<const ledger_key> keys,
                                                       bool /*in_ledger*/) override {
    return std::vector<std::optional<guard_trace>>(keys.size());
  }
  result<std::vector<bool>> move_entities(std::span<const entity_write> writes) override {
    return std::vector<bool>(writes.size(), true);
  }
  status lock_rows(const row_locks& /*locks*/) override { return {}; }
  result<std::vector<row_verdict>> apply(const effect_statement& statement) override {
    ++statements;
    return std::vector<row_verdict>(statement.rows.size(), row_verdict::written);
  }
  result<std::vector<bool>> write_dead_letters(std::span<const dead_letter_row> given) override {
    return std::vector<bool>(given.size(), true);
  }
  status write_parked(std::span<const parked_row> /*rows*/) override { return {}; }
  status check_constraints() override { return {}; }
  status commit() override { return {}; }
  void rollback() noexcept override {}
  status savepoint() override { return {}; }
  status release() override { return {}; }
  status rollback_to() override { return {}; }
  result<bool> was_committed() override { return true; }
  result<std::vector<entity_answer>> load(std::span<const entity_query> queries) override {
    return std::vector<entity_answer>(queries.size());
  }
  result<std::vector<parked_row>> load_parked(const entity_ref& /*entity*/, park_reason /*why*/,
                                              std::size_t /*limit*/) override {
    return std::vector<parked_row>{};
  }
  result<std::optional<dead_letter_row>> load_dead_letter(std::int64_t /*id*/) override {
    return std::optional<dead_letter_row>{};
  }

  std::size_t statements = 0;
};

catalog one_table() {
  catalog_column sku;
  sku.name = "sku";
  sku.type = column_type::text;
  sku.sql_type = "text";
  sku.not_null = true;
  sku.canonical = true;
  catalog_column reserved;
  reserved.name = "reserved";
  reserved.type = column_type::integer;
  reserved.sql_type = "bigint";
  reserved.not_null = true;
  catalog_table table;
  table.name = "inventory";
  table.columns = {sku, reserved};
  table.uniques.push_back({"inventory_pkey", {"sku"}, true});
  catalog all;
  all.tables.emplace(table.name, table);
  return all;
}

/// `messages` messages, the entities drawn at random, grouped into a part for each.
std::vector<commit_part> make_batch(std::size_t messages, std::size_t entities,
                                    const message_contract& contract, const effect_shape& shape) {
  std::mt19937 random(7);
  std::map<std::size_t, commit_part> parts;
  for (std::size_t i = 0; i < messages; ++i) {
    const auto entity = random() % entities;
    auto pair = std::make_shared<addressed_message>();
    pair->contract = &contract;
    pair->entity = {"sku", "sku-" + std::to_string(entity)};
    pair->id = std::to_string(i);
    pair->key = make_ledger_key("bench", pair->entity, pair->id);
    pair->content = make_fingerprint(1, pair->id);
    commit_item item;
    item.effects.push_back({&shape, {value::text(pair->entity.key), value::integer(1)}});
    item.pair = pair;
    auto& part = parts[entity];
    part.entity = pair->entity;
    part.shard = shard_of(part.entity, 64);
    part.items.push_back(std::move(item));
  }
  std::vector<commit_part> batch;
  for (auto& [entity, part] : parts) {
    batch.push_back(std::move(part));
  }
  return batch;
}

void measure(std::size_t messages, std::size_t entities, bool folds) {
  const auto tables = one_table();
  const effect_shape shape{effect_kind::add, "inventory", {"sku"}, {"reserved"}};
  message_contract contract;
  contract.pair = policies::ledger;
  runner_config config;
  config.tables = &tables;
  config.rules = derive_rules({&tables, {&shape}, {{&shape, "sku"}}});
  config.folds = folds;
  null_session session;
  commit_runner runner(session, std::move(config));
  const auto batch = make_batch(messages, entities, contract, shape);

  constexpr int warm_up = 20;
  constexpr int rounds = 500;
  for (int i = 0; i < warm_up; ++i) {
    static_cast<void>(runner.run(batch));
  }
  session.statements = 0;
  const auto start = std::clock();  // of the processor, so that a busy machine doesn't count
  for (int i = 0; i < rounds; ++i) {
    if (runner.run(batch).failure) {
      std::abort();
    }
  }
  const auto took = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  const auto total = static_cast<double>(messages) * rounds;
  fmt::print(
      "{} messages of {} entities, {}: {:.0f} ns a message, {:.2f} million a second, "
      "{:.1f} statements a batch\n",
      messages, entities, folds ? "folding" : "not folding", took / total * 1e9, total / took / 1e6,
      static_cast<double>(session.statements) / rounds);
}

std::size_t number(int argc, char** argv, int at, std::size_t otherwise) {
  return argc > at ? std::strtoul(argv[at], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const auto messages = number(argc, argv, 1, 1024);
  const auto entities = number(argc, argv, 2, 1000);
  if (messages == 0 || entities == 0) {
    fmt::print(stderr, "usage: bench_runner [messages in a batch] [entities], both above 0\n");
    return 2;
  }
  measure(messages, entities, true);
  measure(messages, entities, false);
}
