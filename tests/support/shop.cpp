#include "tests/support/shop.hpp"

#include "protocol/hash.hpp"
#include "tests/support/sqlite_file.hpp"

#include <map>
#include <stdexcept>
#include <utility>

namespace pawl_test {
namespace {

using pawl::column_type;
using pawl::effect_kind;
using pawl::value;

pawl::catalog_column column(std::string name, column_type type, bool not_null) {
  pawl::catalog_column made;
  made.name = std::move(name);
  made.type = type;
  made.not_null = not_null;
  return made;
}

pawl::memory_table table(std::string name, std::vector<pawl::catalog_column> columns,
                         std::vector<std::vector<std::string>> uniques) {
  pawl::memory_table made;
  made.definition.name = std::move(name);
  made.definition.columns = std::move(columns);
  for (auto& unique : uniques) {
    pawl::catalog_unique key;
    key.name = made.definition.name + "_" + unique.front();
    key.primary = made.definition.uniques.empty();
    key.columns = std::move(unique);
    made.definition.uniques.push_back(std::move(key));
  }
  return made;
}

pawl::effect_shape shape(effect_kind kind, std::string table, std::vector<std::string> key,
                         std::vector<std::string> columns) {
  return {kind, std::move(table), std::move(key), std::move(columns)};
}

}  // namespace

std::vector<pawl::memory_table> shop_tables() {
  const auto text = column_type::text;
  const auto integer = column_type::integer;
  auto stock = table("stock",
                     {column("sku", text, true), column("on_hand", integer, true),
                      column("reserved", integer, true), column("note", text, false)},
                     {{"sku"}});
  stock.defaults = {{"on_hand", value::integer(0)}, {"reserved", value::integer(0)}};
  stock.lower_bounds = {{"on_hand", 0}};
  auto shipments =
      table("shipments",
            {column("order_id", text, true), column("sku", text, true), column("kind", text, true),
             column("quantity", integer, true), column("comment", text, false)},
            {{"order_id", "sku", "kind"}});
  auto totals =
      table("totals", {column("name", text, true), column("amount", integer, true)}, {{"name"}});
  totals.defaults = {{"amount", value::integer(0)}};
  totals.lower_bounds = {{"amount", -100}};
  auto labels =
      table("labels", {column("id", text, true), column("label", text, true)}, {{"id"}, {"label"}});
  return {stock, shipments, totals, labels};
}

const pawl::message_contract& contract_of(pawl::policy pair) {
  static const auto contracts = [] {
    std::vector<std::unique_ptr<pawl::message_contract>> all;
    for (const auto each : {pawl::policies::natural, pawl::policies::unique, pawl::policies::latest,
                            pawl::policies::sequence, pawl::policies::ledger}) {
      auto made = std::make_unique<pawl::message_contract>();
      made->type = "T";
      made->entity_type = "sku";
      made->pair = each;
      all.push_back(std::move(made));
    }
    return all;
  }();
  for (const auto& each : contracts) {
    if (each->pair == pair) {
      return *each;
    }
  }
  throw std::logic_error("no such policy");
}

pawl::addressed_ptr pair_of(pawl::policy pair, const said& what) {
  auto source = std::make_shared<pawl::message>();
  source->payload = what.content;
  auto made = std::make_shared<pawl::addressed_message>();
  made->source = source;
  made->contract = &contract_of(pair);
  made->type = "T";
  made->id = what.id;
  made->entity = {"sku", what.entity};
  if (what.version) {
    made->version = pawl::message_version{*what.version};
  }
  made->key = pawl::make_ledger_key("c", made->entity, what.id);
  made->content = pawl::make_fingerprint(7, what.content);
  return made;
}

shop::shop(std::unique_ptr<store_fixture> fixture, shop_options options)
    : fixture_(std::move(fixture)),
      session_(std::make_unique<faulty_session>(fixture_->open_commit())) {
  pawl::rules_input rules;
  rules.tables = &fixture_->tables();
  if (options.declared) {
    declare(rules);
  }
  pawl::runner_config config;
  config.tables = rules.tables;
  config.rules = pawl::derive_rules(rules);
  config.folds = fixture_->store().folds();
  config.grouped = options.grouped;
  config.at_fault_point = [this](pawl::fault_point point) {
    return at_fault_point && at_fault_point(point);
  };
  runner_ = std::make_unique<pawl::commit_runner>(*session_, std::move(config));
}

void shop::declare(pawl::rules_input& rules) {
  for (const auto& each : {reserve("", 0), receive("", 0), count("", 0), note("", value::null()),
                           forget(""), ship("", "", 0), total("", 0), label("", "")}) {
    rules.shapes.push_back(each.shape);
    if (each.shape->table == "stock") {
      rules.keyed_by_entity[each.shape] = "sku";
    }
  }
}

pawl::effect shop::make(const pawl::effect_shape& wanted, std::vector<value> values) {
  return {shapes_.intern(wanted), std::move(values)};
}

pawl::effect shop::reserve(const std::string& sku, std::int64_t quantity) {
  return make(shape(effect_kind::add, "stock", {"sku"}, {"reserved"}),
              {value::text(sku), value::integer(quantity)});
}

pawl::effect shop::receive(const std::string& sku, std::int64_t quantity) {
  return make(shape(effect_kind::add, "stock", {"sku"}, {"on_hand"}),
              {value::text(sku), value::integer(quantity)});
}

pawl::effect shop::count(const std::string& sku, std::int64_t on_hand) {
  return make(shape(effect_kind::upsert, "stock", {"sku"}, {"on_hand"}),
              {value::text(sku), value::integer(on_hand)});
}

pawl::effect shop::note(const std::string& sku, value text) {
  return make(shape(effect_kind::set, "stock", {"sku"}, {"note"}),
              {value::text(sku), std::move(text)});
}

pawl::effect shop::forget(const std::string& sku) {
  return make(shape(effect_kind::remove, "stock", {"sku"}, {}), {value::text(sku)});
}

pawl::effect shop::ship(const std::string& order, const std::string& sku, std::int64_t quantity) {
  return make(shape(effect_kind::insert, "shipments", {"order_id", "sku", "kind"},
                    {"order_id", "sku", "kind", "quantity"}),
              {value::text(order), value::text(sku), value::text("out"), value::integer(quantity)});
}

pawl::effect shop::total(const std::string& name, std::int64_t amount) {
  return make(shape(effect_kind::add, "totals", {"name"}, {"amount"}),
              {value::text(name), value::integer(amount)});
}

pawl::effect shop::label(const std::string& id, const std::string& text) {
  return make(shape(effect_kind::upsert, "labels", {"id"}, {"label"}),
              {value::text(id), value::text(text)});
}

pawl::commit_item shop::apply(pawl::addressed_ptr pair, std::vector<pawl::effect> effects) {
  pawl::commit_item item;
  item.pair = std::move(pair);
  item.effects = std::move(effects);
  return item;
}

pawl::commit_item shop::dead(pawl::addressed_ptr pair) {
  pawl::commit_item item;
  item.pair = std::move(pair);
  item.what = pawl::disposition::dead_letter;
  item.dead_reason = "handler";
  item.dead_text = "it can't be done";
  item.attempts = 5;
  return item;
}

pawl::commit_item shop::park(pawl::addressed_ptr pair, pawl::park_reason why) {
  pawl::commit_item item;
  item.pair = std::move(pair);
  item.what = pawl::disposition::park;
  item.park_why = why;
  return item;
}

pawl::commit_part shop::part(std::vector<pawl::commit_item> items) {
  const auto key = items.front().pair->entity.key;
  return part(std::move(items), load(key).row);
}

pawl::commit_part shop::part(std::vector<pawl::commit_item> items, pawl::entity_row before) {
  pawl::commit_part made;
  made.entity = items.front().pair->entity;
  made.shard = pawl::shard_of(made.entity, store_fixture::shards);
  made.epoch = fixture_->grants()[made.shard.value].epoch;
  made.before = std::move(before);
  made.items = std::move(items);
  return made;
}

pawl::batch_result shop::run(const std::vector<pawl::commit_part>& parts) {
  return runner_->run(parts);
}

std::vector<pawl::part_answer> shop::commit(const std::vector<pawl::commit_part>& parts) {
  auto came = run(parts);
  if (came.failure) {
    throw std::runtime_error(came.failure->code + ": " + came.failure->text);
  }
  std::vector<pawl::part_answer> answers;
  for (auto& answer : came.answers) {
    answers.push_back(answer.value());
  }
  return answers;
}

pawl::outcome shop::commit_one(pawl::commit_item item) {
  const auto answer = commit({part({std::move(item)})}).front();
  if (answer.status != pawl::part_status::done) {
    throw std::runtime_error("not done: " + answer.why.text);
  }
  return answer.outcomes.front();
}

pawl::loaded_entity shop::load(const std::string& key) {
  const pawl::entity_query query{{"sku", key}, {}};
  return must(session_->load({&query, 1})).front().entity;
}

std::vector<pawl::dead_letter_row> shop::dead_letters() {
  return must(fixture_->open_admin()->dead_letters(1000));
}

pawl::message_traces shop::trace(const pawl::addressed_ptr& pair) {
  return must(fixture_->open_admin()->trace(pair->key));
}

}  // namespace pawl_test
