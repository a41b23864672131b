#include "protocol/effects.hpp"
#include "tests/check.hpp"

#include <thread>

using namespace pawl;

namespace {

catalog_column column(std::string name, column_type type, bool not_null = true) {
  catalog_column one;
  one.name = std::move(name);
  one.type = type;
  one.sql_type = type == column_type::integer ? "bigint" : "text";
  one.not_null = not_null;
  return one;
}

/// inventory(sku key, reserved, note null), shipments(order_id, sku, kind; unique of all three).
catalog example_catalog() {
  catalog tables;
  catalog_table inventory;
  inventory.name = "inventory";
  inventory.columns = {column("sku", column_type::text), column("reserved", column_type::integer),
                       column("note", column_type::text, false)};
  inventory.columns[1].has_default = true;
  inventory.uniques = {{"inventory_pkey", {"sku"}, true, false, false, true}};
  tables.tables.emplace("inventory", inventory);
  catalog_table shipments;
  shipments.name = "shipments";
  shipments.columns = {column("order_id", column_type::integer), column("sku", column_type::text),
                       column("kind", column_type::text)};
  shipments.uniques = {{"once", {"order_id", "sku", "kind"}, false, false, false, true}};
  tables.tables.emplace("shipments", shipments);
  return tables;
}

struct fixture {
  catalog tables = example_catalog();
  shape_registry shapes;

  effect_list list(policy pair) { return {pair, tables, shapes}; }

  error shape_error(policy pair, effect_shape shape) {
    const auto checked = check_shape(pair, tables, shapes, std::move(shape));
    REQUIRE_FALSE(checked.ok());
    CHECK(shapes.all().empty());
    return checked.error();
  }
};

effect_shape shape(effect_kind kind, std::string table, std::vector<std::string> key,
                   std::vector<std::string> columns) {
  return {kind, std::move(table), std::move(key), std::move(columns), missing_row::create};
}

template <class Effects>
concept can_add = requires(Effects out) {
  out.add("t", {}, {});
};
template <class Effects>
concept can_insert = requires(Effects out) {
  out.insert("t", {});
};
template <class Effects>
concept can_upsert = requires(Effects out) {
  out.upsert("t", {}, {});
};

template <class Effects>
concept can_keep_state = requires(Effects out) {
  out.state(std::string());
};

static_assert(!can_add<effects<policies::natural>>);
static_assert(!can_insert<effects<policies::natural>>);
static_assert(can_upsert<effects<policies::natural>>);
static_assert(!can_add<effects<policies::latest>>);
static_assert(can_insert<effects<policies::latest>>);
static_assert(can_add<effects<policies::sequence>>);
static_assert(can_add<effects<policies::ledger>>);
static_assert(can_add<effects<policies::unique>>);
static_assert(can_keep_state<effects<policies::ledger>>);
static_assert(!can_keep_state<effects<policies::unique>>);

}  // namespace

TEST_CASE("equal shapes have one address and are listed once, in the order of first use") {
  shape_registry shapes;
  const auto* first = shapes.intern(shape(effect_kind::set, "a", {"k"}, {"v"}));
  const auto* second = shapes.intern(shape(effect_kind::set, "a", {"k", "v"}, {}));
  CHECK(first != second);
  CHECK(shapes.intern(shape(effect_kind::set, "a", {"k"}, {"v"})) == first);
  auto strict = shape(effect_kind::set, "a", {"k"}, {"v"});
  strict.missing = missing_row::fail;
  const auto* third = shapes.intern(strict);
  CHECK(third != first);
  CHECK(shapes.all() == std::vector<const effect_shape*>{first, second, third});
}

TEST_CASE("threads that intern the same shapes agree on their addresses") {
  shape_registry shapes;
  std::vector<std::vector<const effect_shape*>> seen(4);
  std::vector<std::thread> threads;
  for (auto& mine : seen) {
    threads.emplace_back([&shapes, &mine] {
      for (int i = 0; i < 200; ++i) {
        mine.push_back(shapes.intern(shape(effect_kind::set, std::to_string(i), {"k"}, {"v"})));
      }
    });
  }
  for (auto& one : threads) {
    one.join();
  }
  CHECK(shapes.all().size() == 200);
  for (const auto& mine : seen) {
    CHECK(mine == seen[0]);
  }
}

TEST_CASE("effects come out in order, with the key's values before the columns'") {
  fixture f;
  auto list = f.list(policies::ledger);
  effects<policies::ledger> out(list);
  out.add("inventory", {{"sku", "A-1"}}, {{"reserved", 3}});
  out.upsert("inventory", {{"sku", "A-1"}}, {{"note", nullptr}, {"reserved", 0}});
  out.set("inventory", {{"sku", "A-1"}}, {{"note", 12}});
  out.remove("inventory", {{"sku", "A-2"}});
  out.insert("shipments", {{"order_id", 7U}, {"sku", "A-1"}, {"kind", "full"}});
  const auto taken = list.take();
  REQUIRE(taken.ok());
  REQUIRE(taken->size() == 5);
  CHECK((*taken)[0].shape->kind == effect_kind::add);
  CHECK((*taken)[0].values == std::vector<value>{value::text("A-1"), value::integer(3)});
  CHECK((*taken)[1].values ==
        std::vector<value>{value::text("A-1"), value::null(), value::integer(0)});
  CHECK((*taken)[2].values == std::vector<value>{value::text("A-1"), value::text("12")});
  CHECK((*taken)[3].shape->columns.empty());
  CHECK((*taken)[4].values ==
        std::vector<value>{value::integer(7), value::text("A-1"), value::text("full")});
}

TEST_CASE("a wrong table or column is an error that names the nearest one") {
  fixture f;
  CHECK(f.shape_error(policies::ledger, shape(effect_kind::set, "inventroy", {"sku"}, {"note"}))
            .text == "there is no table \"inventroy\"; did you mean \"inventory\"?");
  const auto wrong =
      f.shape_error(policies::ledger, shape(effect_kind::set, "inventory", {"sku"}, {"reservd"}));
  CHECK(wrong.kind == fault::deployment);
  CHECK(wrong.text == "table \"inventory\" has no column \"reservd\"; did you mean \"reserved\"?");
}

TEST_CASE("a value that does not fit its column is poison and names the table") {
  fixture f;
  auto list = f.list(policies::ledger);
  effects<policies::ledger> out(list);
  out.set("inventory", {{"sku", "A-1"}}, {{"reserved", "three"}});
  out.remove("no such table", {{"sku", "A-1"}});
  const auto taken = list.take();
  REQUIRE_FALSE(taken.ok());
  CHECK(taken.error().kind == fault::poison);
  CHECK(taken.error().text == "table \"inventory\": column \"reserved\" (bigint) can't take text");
}

TEST_CASE("a list can be used again after it was taken, also after an error") {
  fixture f;
  auto list = f.list(policies::ledger);
  list.add_keyed(effect_kind::remove, "nowhere", {{"sku", 1}}, {});
  CHECK_FALSE(list.take().ok());
  list.add_keyed(effect_kind::remove, "inventory", {{"sku", 1}}, {});
  CHECK(list.take()->size() == 1);
  CHECK(list.take()->empty());
}

TEST_CASE("an effect that the policy forbids is refused with reason and fix") {
  fixture f;
  const auto wrong =
      f.shape_error(policies::natural, shape(effect_kind::add, "inventory", {"sku"}, {"reserved"}));
  CHECK(wrong.kind == fault::refused);
  CHECK(wrong.text.find("dedupe: ledger") != std::string::npos);
}

TEST_CASE("under unique the first effect is an insert with a named key") {
  fixture f;
  auto list = f.list(policies::unique);
  effects<policies::unique> out(list);
  SECTION("nothing at all") {}
  SECTION("another kind first") {
    out.add("inventory", {{"sku", "A-1"}}, {{"reserved", 1}});
    out.insert("shipments", {{"order_id", 1}, {"sku", "a"}, {"kind", "b"}},
               {"order_id", "sku", "kind"});
  }
  SECTION("an insert without a key") {
    out.insert("shipments", {{"order_id", 1}, {"sku", "a"}, {"kind", "b"}});
  }
  const auto taken = list.take();
  REQUIRE_FALSE(taken.ok());
  CHECK(taken.error().kind == fault::poison);
  CHECK(taken.error().code == "guard");
}

TEST_CASE("under unique an insert with its key may be followed by any effect") {
  fixture f;
  auto list = f.list(policies::unique);
  effects<policies::unique> out(list);
  out.insert("shipments", {{"order_id", 1}, {"sku", "a"}, {"kind", "b"}},
             {"kind", "sku", "order_id"});
  out.add("inventory", {{"sku", "a"}}, {{"reserved", 1}});
  CHECK(list.take()->size() == 2);
}

TEST_CASE("a key that the database can't guard by is refused") {
  fixture f;
  const auto guard = shape(effect_kind::insert, "shipments", {"order_id", "sku", "kind"},
                           {"order_id", "sku", "kind"});
  auto& table = f.tables.tables.at("shipments");
  SECTION("no such constraint") {
    auto wrong = guard;
    wrong.key = {"order_id"};
    CHECK(f.shape_error(policies::unique, wrong).text.find("no unique constraint on exactly") !=
          std::string::npos);
  }
  SECTION("partial") {
    table.uniques[0].partial = true;
    f.shape_error(policies::unique, guard);
  }
  SECTION("deferrable") {
    table.uniques[0].deferrable = true;
    CHECK(f.shape_error(policies::unique, guard).text.find("NOT DEFERRABLE") != std::string::npos);
  }
  SECTION("nullable") {
    table.columns[1].not_null = false;
    CHECK(f.shape_error(policies::unique, guard).text.find("NOT NULL") != std::string::npos);
  }
  SECTION("behind a trigger") {
    table.before_insert_triggers = true;
    CHECK(f.shape_error(policies::unique, guard).text.find("trigger") != std::string::npos);
  }
  SECTION("not written by the insert") {
    auto wrong = guard;
    wrong.key.push_back("batch");
    f.shape_error(policies::unique, wrong);
  }
}

TEST_CASE("shapes that could lose or double a write are refused") {
  fixture f;
  auto& table = f.tables.tables.at("inventory");
  SECTION("add to a column that may be null") {
    table.columns[1].not_null = false;
    f.shape_error(policies::ledger, shape(effect_kind::add, "inventory", {"sku"}, {"reserved"}));
  }
  SECTION("add to text") {
    f.shape_error(policies::ledger, shape(effect_kind::add, "inventory", {"sku"}, {"note"}));
  }
  SECTION("upsert by columns that are not unique") {
    f.shape_error(policies::ledger,
                  shape(effect_kind::upsert, "inventory", {"note"}, {"reserved"}));
  }
  SECTION("no key") {
    f.shape_error(policies::ledger, shape(effect_kind::set, "inventory", {}, {"reserved"}));
  }
  SECTION("no column") {
    f.shape_error(policies::ledger, shape(effect_kind::set, "inventory", {"sku"}, {}));
  }
  SECTION("a column twice") {
    f.shape_error(policies::ledger,
                  shape(effect_kind::set, "inventory", {"sku"}, {"note", "note"}));
    f.shape_error(policies::ledger, shape(effect_kind::set, "inventory", {"sku"}, {"sku"}));
  }
  SECTION("a column that the database computes") {
    table.columns[2].generated = true;
    f.shape_error(policies::ledger, shape(effect_kind::set, "inventory", {"sku"}, {"note"}));
  }
  SECTION("an insert that lacks a NOT NULL column without default") {
    CHECK(f.shape_error(policies::ledger, shape(effect_kind::insert, "inventory", {}, {"note"}))
              .text.find("lacks column \"sku\"") != std::string::npos);
  }
}

TEST_CASE("a null key finds no row and is poison") {
  fixture f;
  auto list = f.list(policies::ledger);
  list.add_keyed(effect_kind::remove, "inventory", {{"sku", nullptr}}, {});
  CHECK(list.take().error().code == "key");
}

TEST_CASE("an absent value leaves its column out") {
  fixture f;
  auto list = f.list(policies::ledger);
  const auto upsert =
      *check_shape(policies::ledger, f.tables, f.shapes,
                   shape(effect_kind::upsert, "inventory", {"sku"}, {"reserved", "note"}));
  const auto set = *check_shape(policies::ledger, f.tables, f.shapes,
                                shape(effect_kind::set, "inventory", {"sku"}, {"note"}));
  list.add(upsert, {value::text("A-1"), value::absent(), value::text("n")});
  list.add(set, {value::text("A-1"), value::absent()});
  list.add(upsert, {value::text("A-1"), value::absent(), value::absent()});
  const auto taken = list.take();
  REQUIRE(taken.ok());
  REQUIRE(taken->size() == 2);
  CHECK((*taken)[0].shape->columns == std::vector<std::string>{"note"});
  CHECK((*taken)[0].values == std::vector<value>{value::text("A-1"), value::text("n")});
  CHECK((*taken)[1].shape->columns.empty());
}

TEST_CASE("an absent column that an insert needs is poison, as is an absent key") {
  fixture f;
  auto list = f.list(policies::ledger);
  const auto insert =
      *check_shape(policies::ledger, f.tables, f.shapes,
                   shape(effect_kind::insert, "shipments", {}, {"order_id", "sku", "kind"}));
  list.add(insert, {value::integer(1), value::text("A-1"), value::absent()});
  CHECK(list.take().error().kind == fault::poison);
  const auto remove = *check_shape(policies::ledger, f.tables, f.shapes,
                                   shape(effect_kind::remove, "inventory", {"sku"}, {}));
  list.add(remove, {value::absent()});
  CHECK(list.take().error().kind == fault::poison);
}

TEST_CASE("the last state given is taken once") {
  fixture f;
  auto list = f.list(policies::ledger);
  CHECK_FALSE(list.take_state().has_value());
  effects<policies::ledger> out(list);
  out.state("one");
  out.state("two");
  CHECK(list.take().ok());
  CHECK(list.take_state() == "two");
  CHECK_FALSE(list.take_state().has_value());
}

TEST_CASE("state where the policy can't keep it is refused") {
  fixture f;
  auto list = f.list(policies::natural);
  list.state("one");
  CHECK(list.take().error().kind == fault::refused);
  CHECK_FALSE(list.take_state().has_value());
}

TEST_CASE("numbers past 64 bits keep their digits") {
  CHECK(column_value("c", UINT64_MAX).content == value::decimal("18446744073709551615"));
  CHECK(column_value("c", true).content == value::boolean(true));
  CHECK(column_value("c", nullptr).content.is_null());
}
