#include "runtime/config/bind.hpp"
#include "runtime/config/node_file.hpp"
#include "tests/check.hpp"

using namespace pawl;

namespace {

catalog_column column(const char* name, column_type type, const char* sql_type,
                      bool not_null = false, bool has_default = false) {
  catalog_column one;
  one.name = name;
  one.type = type;
  one.sql_type = sql_type;
  one.not_null = not_null;
  one.has_default = has_default;
  one.canonical = type == column_type::text || type == column_type::integer;
  return one;
}

catalog_unique unique(std::vector<std::string> columns) {
  catalog_unique one;
  one.name = "u";
  one.columns = std::move(columns);
  return one;
}

catalog example_tables() {
  catalog tables;
  catalog_table stock;
  stock.name = "stock";
  stock.columns = {column("sku", column_type::text, "text", true),
                   column("reserved", column_type::integer, "bigint", true, true),
                   column("note", column_type::text, "text"),
                   column("weight", column_type::decimal, "numeric", true, true),
                   column("seen", column_type::integer, "bigint"),
                   column("total", column_type::integer, "bigint")};
  stock.columns.back().generated = true;
  stock.uniques = {unique({"sku"})};
  tables.tables["stock"] = stock;

  catalog_table shipments;
  shipments.name = "shipments";
  shipments.columns = {column("order_id", column_type::text, "text", true),
                       column("sku", column_type::text, "text", true),
                       column("number", column_type::integer, "bigint", true),
                       column("maybe", column_type::text, "text")};
  shipments.uniques = {unique({"order_id", "sku"}), unique({"order_id"}), unique({"maybe"}),
                       unique({"number"})};
  shipments.uniques.back().deferrable = true;
  tables.tables["shipments"] = shipments;
  return tables;
}

/// A node file with one message, whose body is given with 8 spaces in front of each line.
std::string node(const std::string& body) {
  return "consumer: c\nstore: sqlite:s.db\nsources:\n  a: {file: a.ndjson}\nledger: {window: 7d}\n"
         "entities:\n  sku:\n    messages:\n      T:\n" +
         body;
}

std::string with_effects(const std::string& text, const std::string& dedupe = "ledger") {
  return node("        key: $.sku\n        dedupe: " + dedupe + "\n        effects:\n" + text);
}

class bound {
 public:
  explicit bound(const std::string& text, std::string_view store_kind = "postgresql",
                 catalog tables = example_tables())
      : tables_(std::move(tables)) {
    node_file file = parse_node_file(
        "n.yaml", text, [](const std::string&) { return std::optional<std::string>(); });
    INFO(to_text(file.problems));
    REQUIRE(file.config);
    handlers_ =
        bind_handlers(*file.config, {&tables_, &shapes_, {"stock", "shipments"}, store_kind});
  }

  [[nodiscard]] std::string problems() const { return to_text(handlers_.problems); }
  [[nodiscard]] const handler_registration& handler() const {
    INFO(problems());
    REQUIRE(handlers_.handlers.size() == 1);
    return handlers_.handlers[0];
  }

  [[nodiscard]] std::vector<std::string> fields() const {
    std::vector<std::string> out;
    for (const field_path& each : handler().contract->fields) {
      out.push_back(each.where.source + (each.optional ? "?" : ""));
    }
    return out;
  }

  /// The effects of a message with these elements.
  std::vector<std::vector<value>> run(std::vector<field_values> elements) {
    addressed_message message;
    message.contract = handler().contract.get();
    message.entity = {"sku", "A-1"};
    message.id = "17";
    message.version = message_version{3};
    message.elements = std::move(elements);
    effect_list list(message.contract->pair, tables_, shapes_);
    handler().run->handle(message, std::nullopt, list);
    auto taken = list.take();
    if (!taken) {
      failure = taken.error().text;
      return {};
    }
    std::vector<std::vector<value>> out;
    for (const pawl::effect& each : *taken) {
      out.push_back(each.values);
    }
    return out;
  }

  std::string failure;

 private:
  catalog tables_;
  shape_registry shapes_;
  bound_handlers handlers_;
};

const std::string good_add =
    "          - add: stock\n            key: {sku: $.sku}\n"
    "            values: {reserved: $.quantity}\n";

}  // namespace

TEST_CASE("a declared handler reads its fields by number and the key from the message") {
  bound one(with_effects(good_add));
  CHECK(one.fields() == std::vector<std::string>{"$.quantity"});
  CHECK(one.run({{value::integer(5)}}) ==
        std::vector<std::vector<value>>{{value::text("A-1"), value::integer(5)}});
  REQUIRE(one.handler().shapes.size() == 1);
  CHECK(one.handler().keyed_by_entity == one.handler().shapes);
}

TEST_CASE("a path that several columns read is one field, optional only if all of them say so") {
  const std::string two =
      "          - set: stock\n            key: {sku: $key}\n"
      "            values: {note: $.x, seen: $.y}\n            optional: [note, seen]\n"
      "          - set: stock\n            key: {sku: $key}\n            values: {note: $.x}\n";
  CHECK(bound(with_effects(two)).fields() == std::vector<std::string>{"$.x", "$.y?"});
}

TEST_CASE("an optional path that is missing leaves its column out") {
  bound one(
      with_effects("          - set: stock\n            key: {sku: $key}\n"
                   "            values: {note: $.x, seen: $.y}\n            optional: [seen]\n"));
  CHECK(one.run({{value::text("n"), value::absent()}}) ==
        std::vector<std::vector<value>>{{value::text("A-1"), value::text("n")}});
}

TEST_CASE("key, id, version and constants come from where they are said to come") {
  bound one(
      node("        key: $.sku\n        dedupe: version\n        order: latest\n"
           "        version: $.v\n        effects:\n          - upsert: shipments\n"
           "            key: {order_id: o, sku: $key}\n"
           "            values: {number: $version, maybe: $id}\n"));
  CHECK(one.run({{}}) == std::vector<std::vector<value>>{{value::text("o"), value::text("A-1"),
                                                          value::integer(3), value::text("17")}});
  CHECK(one.fields() == std::vector<std::string>{"$.sku"});
  CHECK(one.handler().keyed_by_entity.empty());
}

TEST_CASE("an id goes into a column of integers as the number that it is") {
  bound one(
      with_effects("          - set: stock\n            key: {sku: $key}\n"
                   "            values: {seen: $id}\n"));
  CHECK(one.run({{value::text("A-1")}}) ==
        std::vector<std::vector<value>>{{value::text("A-1"), value::integer(17)}});
}

TEST_CASE("an effect repeats for each element that named the entity, others stand once") {
  bound one(
      node("        key: $.lines[*].sku\n        dedupe: ledger\n        effects:\n"
           "          - add: stock\n            key: {sku: \"$.lines[*].sku\"}\n"
           "            values: {reserved: \"$.lines[*].quantity\"}\n"
           "          - set: stock\n            key: {sku: $key}\n"
           "            values: {note: $.note}\n"));
  CHECK(one.fields() == std::vector<std::string>{"$.lines[*].quantity", "$.note"});
  const auto effects =
      one.run({{value::integer(5), value::text("n")}, {value::integer(7), value::text("n")}});
  CHECK(effects == std::vector<std::vector<value>>{{value::text("A-1"), value::integer(5)},
                                                   {value::text("A-1"), value::integer(7)},
                                                   {value::text("A-1"), value::text("n")}});
}

TEST_CASE("a guard that two elements write alike stands once") {
  bound one(
      node("        key: $.lines[*].sku\n        dedupe: unique\n        effects:\n"
           "          - insert: shipments\n            unique: [order_id, sku]\n"
           "            values: {order_id: $.order, sku: \"$.lines[*].sku\", number: "
           "\"$.lines[*].n\"}\n"));
  const value order = value::text("o");
  CHECK(one.run({{order, value::integer(1)}, {order, value::integer(1)}}).size() == 1);
  CHECK(one.run({{order, value::integer(1)}, {order, value::integer(2)}}).size() == 2);
}

TEST_CASE("a value that does not fit its column fails the message with the column's name") {
  bound one(with_effects(good_add));
  CHECK(one.run({{value::text("five")}}).empty());
  CHECK(one.failure.find("\"reserved\"") != std::string::npos);
}

TEST_CASE("what can't keep its promise in these tables is a problem with its place") {
  struct wrong {
    std::string text;
    const char* message;
  };
  const auto keyed = [](const char* kind, const char* key, const char* values) {
    return with_effects(std::string("          - ") + kind + "\n            key: " + key +
                        "\n            values: " + values + "\n");
  };
  const auto guard = [](const char* columns) {
    return with_effects(
        std::string("          - insert: shipments\n            unique: ") + columns +
            "\n            values: {order_id: $.o, sku: $.sku, number: 1, maybe: x}\n",
        "unique");
  };
  const std::vector<wrong> table{
      {keyed("set: stok", "{sku: $.sku}", "{note: x}"),
       "n.yaml:13:18: there is no table `stok`; did you mean `stock`?\n"},
      {keyed("set: stock", "{sku: $.sku}", "{noted: x}"),
       "n.yaml:15:22: table `stock` has no column `noted`; did you mean `note`?\n"},
      {keyed("set: stock", "{skus: $.sku}", "{note: x}"),
       "n.yaml:14:19: table `stock` has no column `skus`; did you mean `sku`?\n"},
      {keyed("set: stock", "{sku: $.sku}", "{total: 1}"),
       "n.yaml:15:22: column `total` of table `stock` is computed by the database; "},
      {keyed("set: stock", "{sku: $.sku}", "{sku: x}"),
       "n.yaml:14:19: column `sku` of table `stock` is in `key` and in `values`; "},
      {keyed("set: stock", "{note: $.sku}", "{seen: 1}"),
       "n.yaml:14:19: `set` finds its row by (note), on which table `stock` has no primary key or "
       "unique constraint; use (sku), or add one to the table\n"},
      {keyed("upsert: stock", "{note: $.sku}", "{seen: 1}"),
       "n.yaml:14:19: `upsert` finds its row by (note), "},
      {keyed("set: stock", "{sku: $.sku}", "{seen: many}"),
       "n.yaml:15:28: column \"seen\" (bigint) can't take text"},
      {keyed("set: stock", "{sku: $.sku}", "{reserved: null}"),
       "n.yaml:15:32: column \"reserved\""},
      {keyed("add: stock", "{sku: $.sku}", "{note: 1}"),
       "n.yaml:15:22: `add` to column `note` of table `stock`, which is text; "},
      {keyed("add: stock", "{sku: $.sku}", "{seen: 1}"),
       "n.yaml:15:22: `add` to column `seen` of table `stock`, which may be NULL: "},
      {keyed("upsert: shipments", "{order_id: $.o}", "{sku: $.sku}"),
       "n.yaml:13:13: `upsert` may have to create a row, and column `number` of table `shipments` "
       "is NOT NULL without a default; add it to `values`, "},
      {keyed("add: shipments", "{order_id: $.o}", "{number: 1}"),
       "n.yaml:13:13: `add` may have to create a row, and column `sku` of table `shipments` "},
      {keyed("set: stock", "{sku: $.sku}", "{note: \"$.lines[*].x\"}"),
       "n.yaml:15:28: `$.lines[*].x` repeats over a list that `key` does not repeat over; "},
      {keyed("set: stock", "{sku: $.sku}", "{seen: $version}"),
       "n.yaml:15:28: `$version` is read, and no version declared; "},
      {with_effects(
           "          - insert: shipments\n            values: {order_id: $.o, sku: $.sku}\n"),
       "n.yaml:13:13: `insert` into table \"shipments\" lacks column \"number\""},
      {guard("[sku]"), "n.yaml:13:13: table \"shipments\" has no unique constraint on exactly "},
      {guard("[maybe]"), "n.yaml:13:13: column \"maybe\" of the guarding key"},
      {guard("[number]"), "n.yaml:13:13: constraint \"u\" of table \"shipments\" is deferrable"},
      {node("        key: $.lines[*].sku\n        dedupe: unique\n        effects:\n"
            "          - insert: shipments\n            unique: [order_id]\n"
            "            values: {order_id: $.o, sku: $key, number: 1}\n"),
       "n.yaml:13:13: a message may address several entities, and the guard's key (order_id) "},
  };
  for (const wrong& each : table) {
    CAPTURE(each.text);
    const bound one(each.text);
    CAPTURE(one.problems());
    CHECK(one.problems().starts_with(each.message));
  }
}

TEST_CASE("a guard behind a BEFORE INSERT trigger does not guard") {
  catalog tables = example_tables();
  tables.tables["shipments"].before_insert_triggers = true;
  const bound one(
      with_effects("          - insert: shipments\n            unique: [order_id, sku]\n"
                   "            values: {order_id: $.o, sku: $.sku, number: 1}\n",
                   "unique"),
      "postgresql", tables);
  CHECK(one.problems().find("has a BEFORE INSERT trigger") != std::string::npos);
}

TEST_CASE("sums of decimals are for PostgreSQL, SQLite adds integers") {
  const std::string text = with_effects(
      "          - add: stock\n            key: {sku: $.sku}\n            values: {weight: 1.5}\n");
  CHECK(bound(text).problems().empty());
  CHECK(bound(text, "sqlite")
            .problems()
            .starts_with("n.yaml:15:22: `add` to column `weight` of table `stock`, which is "
                         "numeric: SQLite keeps "));
}

TEST_CASE("an add that may not create its row needs no defaults") {
  CHECK(bound(with_effects("          - add: shipments\n            key: {order_id: $.o}\n"
                           "            values: {number: 1}\n            missing: fail\n"))
            .problems()
            .empty());
}

TEST_CASE("all tables that the effects name are to be read, each once") {
  const node_file file =
      parse_node_file("n.yaml", with_effects(good_add + good_add),
                      [](const std::string&) { return std::optional<std::string>(); });
  REQUIRE(file.config);
  CHECK(tables_of(*file.config) == std::vector<std::string>{"stock"});
}
