#include "storage/effect_plan.hpp"

#include "protocol/contract.hpp"
#include "protocol/shape_registry.hpp"
#include "storage/exact_sum.hpp"
#include "tests/check.hpp"

#include <deque>
#include <map>
#include <string>
#include <vector>

using namespace pawl;

namespace {

catalog_column column(std::string name, column_type type, bool not_null = true) {
  catalog_column made;
  made.name = std::move(name);
  made.type = type;
  made.sql_type = type == column_type::text ? "text" : "bigint";
  made.not_null = not_null;
  made.canonical = type != column_type::decimal;
  return made;
}

/// stock(sku key, n, note), orders(id key, number unique), lines(order_id -> orders, n).
catalog tables() {
  catalog_table stock;
  stock.name = "stock";
  stock.columns = {column("sku", column_type::text), column("n", column_type::integer),
                   column("note", column_type::text, false)};
  stock.uniques.push_back({"stock_pkey", {"sku"}, true});
  stock.checks.push_back({"stock_n", {"n"}, true});
  catalog_table orders;
  orders.name = "orders";
  orders.columns = {column("id", column_type::text), column("number", column_type::text)};
  orders.uniques.push_back({"orders_pkey", {"id"}, true});
  orders.uniques.push_back({"orders_number", {"number"}});
  catalog_table lines;
  lines.name = "lines";
  lines.columns = {column("order_id", column_type::text), column("n", column_type::integer)};
  lines.foreign_keys.push_back({"lines_order", {"order_id"}, "orders", {"id"}});
  catalog all;
  for (auto* each : {&stock, &orders, &lines}) {
    all.tables.emplace(each->name, *each);
  }
  return all;
}

/// Plans messages of one effect each, and shows the statements: phase, kind, table and rows.
class planning {
 public:
  explicit planning(catalog known, bool folds = false)
      : tables_(std::move(known)), rules_(derive_rules({&tables_, {}, {}})), folds_(folds) {
    ledger_.pair = policies::ledger;
    unique_.pair = policies::unique;
  }

  planning& add(effect_kind kind, const std::string& table, std::vector<std::string> key,
                std::vector<std::string> columns, std::vector<value> values) {
    return add_all({make(kind, table, std::move(key), std::move(columns), std::move(values))},
                   ledger_);
  }
  planning& add_n(const std::string& sku, std::int64_t n) {
    return add(effect_kind::add, "stock", {"sku"}, {"n"}, {value::text(sku), value::integer(n)});
  }
  planning& guarded(effect first, effect second) {
    return add_all({std::move(first), std::move(second)}, unique_);
  }
  effect make(effect_kind kind, const std::string& table, std::vector<std::string> key,
              std::vector<std::string> columns, std::vector<value> values) {
    return {shapes_.intern({kind, table, std::move(key), std::move(columns)}), std::move(values)};
  }

  std::vector<std::string> statements() {
    effect_plan plan(&tables_, &rules_, folds_);
    std::vector<const commit_item*> items;
    for (const auto& item : items_) {
      items.push_back(&item);
    }
    plan.make(items);
    locks = plan.locks();
    std::vector<std::string> shown;
    const std::vector<bool> dropped(items.size());
    for (const auto& planned : plan.statements()) {
      const auto& built = plan.build(planned, dropped);
      auto text = std::to_string(planned.phase) + (planned.guard ? " guard " : " ") +
                  std::string(name_of(built.shape->kind)) + " " + built.shape->table;
      for (const auto& row : built.rows) {
        text += " |";
        for (const auto& each : row.values) {
          text += " " + each.to_text();
        }
      }
      shown.push_back(std::move(text));
    }
    return shown;
  }

  std::vector<row_locks> locks;

 private:
  planning& add_all(std::vector<effect> effects, const message_contract& contract) {
    auto pair = std::make_shared<addressed_message>();
    pair->contract = &contract;
    commit_item item;
    item.pair = std::move(pair);
    item.effects = std::move(effects);
    items_.push_back(std::move(item));
    return *this;
  }

  catalog tables_;
  std::map<std::string, table_rules, std::less<>> rules_;
  bool folds_;
  message_contract ledger_;
  message_contract unique_;
  shape_registry shapes_;
  std::deque<commit_item> items_;
};

using shown = std::vector<std::string>;

}  // namespace

TEST_CASE("rows of one shape share a statement, and a second write of a row waits") {
  planning plan(tables());
  plan.add_n("a", 1).add_n("b", 2).add_n("a", 3);
  CHECK(plan.statements() == shown{"0 add stock | a 1 | b 2", "1 add stock | a 3"});
}

TEST_CASE("adds of one sign fold into one row, a change of sign waits") {
  planning plan(tables(), true);
  plan.add_n("a", 1).add_n("b", 2).add_n("a", 3).add_n("a", 0).add_n("a", -4).add_n("a", -1);
  CHECK(plan.statements() == shown{"0 add stock | a 4 | b 2", "1 add stock | a -5"});
}

TEST_CASE("adds whose sum needs more bits than the column has don't fold") {
  auto narrow = tables();
  narrow.tables.at("stock").columns[1].integer_bits = 16;
  planning plan(narrow, true);
  plan.add_n("a", 32000).add_n("a", 700).add_n("a", 68);
  CHECK(plan.statements() == shown{"0 add stock | a 32700", "1 add stock | a 68"});
}

TEST_CASE("a check other than a lower bound, or a trigger, ends folding") {
  auto checked = tables();
  checked.tables.at("stock").checks[0].lower_bound = false;
  planning plan(checked, true);
  plan.add_n("a", 1).add_n("a", 2);
  CHECK(plan.statements().size() == 2);

  auto triggered = tables();
  triggered.tables.at("stock").row_triggers = true;
  planning one_by_one(triggered, true);
  one_by_one.add_n("a", 1).add_n("b", 2);
  CHECK(one_by_one.statements() == shown{"0 add stock | a 1", "1 add stock | b 2"});
}

TEST_CASE("the last of several upserts stands for all, where no constraint sees the ones between") {
  planning plan(tables(), true);
  const auto say = [&](const char* column, value v) {
    plan.add(effect_kind::upsert, "stock", {"sku"}, {column}, {value::text("a"), std::move(v)});
  };
  say("note", value::text("x"));
  say("note", value::text("y"));
  say("n", value::integer(1));
  say("n", value::integer(2));
  CHECK(plan.statements() ==
        shown{"0 upsert stock | a y", "1 upsert stock | a 1", "2 upsert stock | a 2"});
}

TEST_CASE("orders and their lines take two phases, however many there are") {
  planning plan(tables());
  for (const auto* id : {"1", "2", "3"}) {
    plan.add(effect_kind::insert, "orders", {}, {"id", "number"},
             {value::text(id), value::text(id)});
    plan.add(effect_kind::insert, "lines", {}, {"order_id", "n"},
             {value::text(id), value::integer(1)});
  }
  CHECK(plan.statements() ==
        shown{"0 insert orders | 1 1 | 2 2 | 3 3", "1 insert lines | 1 1 | 2 1 | 3 1"});
}

TEST_CASE("a line that comes before its order stays before it") {
  planning plan(tables());
  plan.add(effect_kind::insert, "lines", {}, {"order_id", "n"},
           {value::text("1"), value::integer(1)});
  plan.add(effect_kind::upsert, "orders", {"id"}, {"number"}, {value::text("1"), value::text("x")});
  CHECK(plan.statements() == shown{"0 insert lines | 1 1", "1 upsert orders | 1 x"});
}

TEST_CASE("a guard's message waits for it, and guards of one shape share a statement") {
  planning plan(tables());
  for (const auto* id : {"1", "2"}) {
    plan.guarded(plan.make(effect_kind::insert, "orders", {"id"}, {"id", "number"},
                           {value::text(id), value::text(id)}),
                 plan.make(effect_kind::add, "stock", {"sku"}, {"n"},
                           {value::text("a"), value::integer(1)}));
  }
  CHECK(plan.statements() ==
        shown{"0 guard insert orders | 1 1 | 2 2", "1 add stock | a 1", "2 add stock | a 1"});
}

TEST_CASE("keys that the database compares otherwise than we make a table one row") {
  auto folded = tables();
  folded.tables.at("stock").columns[0].canonical = false;
  planning plan(folded, true);
  plan.add_n("a", 1).add_n("A", 2);
  CHECK(plan.statements() == shown{"0 add stock | a 1", "1 add stock | A 2"});
}

TEST_CASE("rows are locked table by table in name order, with what creates them") {
  planning plan(tables());
  plan.add_n("a", 1);
  plan.add(effect_kind::set, "stock", {"sku"}, {"note"}, {value::text("b"), value::null()});
  plan.add(effect_kind::upsert, "orders", {"id"}, {"number"}, {value::text("1"), value::text("x")});
  plan.add_n("b", 1);
  static_cast<void>(plan.statements());
  REQUIRE(plan.locks.size() == 2);
  CHECK(plan.locks[0].table == "orders");
  CHECK(plan.locks[1].table == "stock");
  REQUIRE(plan.locks[1].rows.size() == 2);
  CHECK(plan.locks[1].rows[0].creator != nullptr);
  CHECK(plan.locks[1].rows[1].creator == nullptr);
}

TEST_CASE("a table whose key is the entity's, in all its shapes, needs no locks") {
  const auto known = tables();
  const effect_shape keyed{effect_kind::add, "stock", {"sku"}, {"n"}};
  const effect_shape other{effect_kind::set, "stock", {"sku"}, {"note"}};
  CHECK(derive_rules({&known, {&keyed}, {{&keyed, "sku"}}}).at("stock").is_private);
  CHECK_FALSE(derive_rules({&known, {&keyed, &other}, {{&keyed, "sku"}}}).at("stock").is_private);
  CHECK_FALSE(derive_rules({&known, {&keyed, &other}, {{&keyed, "sku"}, {&other, "store"}}})
                  .at("stock")
                  .is_private);
}

TEST_CASE("decimals are counted in their smallest steps, and finer digits are refused") {
  CHECK(to_steps(value::decimal("12.5"), 2) == 1250);
  CHECK(to_steps(value::decimal("-0.05"), 2) == -5);
  CHECK(to_steps(value::integer(3), 2) == 300);
  CHECK(to_steps(value::decimal("1.500"), 1) == 15);
  CHECK_FALSE(to_steps(value::decimal("0.005"), 2).has_value());
  CHECK_FALSE(to_steps(value::decimal("1e3"), 2).has_value());
  CHECK_FALSE(to_steps(value::decimal("99999999999999999999"), 2).has_value());
  CHECK(from_steps(-5, 2) == value::decimal("-0.05"));
  CHECK(from_steps(1250, 2) == value::decimal("12.50"));
  CHECK(from_steps(7, 0) == value::integer(7));
}
