// Parents and children in one batch: an operation waits for the rows that it needs, so that what
// passes or fails is what would have passed or failed one by one.
#include "tests/check.hpp"
#include "tests/support/shop.hpp"

using namespace pawl;
using namespace pawl_test;

namespace {

constexpr auto script =
    "CREATE TABLE parents (id text NOT NULL PRIMARY KEY,"
    " n bigint NOT NULL DEFAULT 0 CHECK (n >= 0));"
    "CREATE TABLE children (id text NOT NULL PRIMARY KEY, parent text REFERENCES parents (id),"
    " n bigint NOT NULL DEFAULT 0);";
const std::vector<std::string> tables{"parents", "children"};

/// An operation on parent or child `row`; a child's parent is `other`.
struct drawn {
  int what = 0;
  int row = 0;
  int other = 0;
};

void showValue(const drawn& d, std::ostream& out) {
  out << "{" << d.what << " row " << d.row << " other " << d.other << "}";
}

effect effect_of(shop& at, const drawn& d, const std::string& prefix) {
  const auto row = value::text(prefix + std::to_string(d.row));
  const auto parent = d.other == 3 ? value::null() : value::text(prefix + std::to_string(d.other));
  const auto make = [&](effect_kind kind, const char* table, std::vector<std::string> columns,
                        std::vector<value> values) {
    values.insert(values.begin(), row);
    return at.make({kind, table, {"id"}, std::move(columns)}, std::move(values));
  };
  switch (d.what) {
    case 0:
      return make(effect_kind::upsert, "parents", {"n"}, {value::integer(d.other)});
    case 1:
      return make(effect_kind::add, "parents", {"n"}, {value::integer(d.other - 1)});
    case 2:
      return make(effect_kind::set, "parents", {"n"}, {value::integer(d.other)});
    case 3:
      return make(effect_kind::remove, "parents", {}, {});
    case 4:
      return make(effect_kind::insert, "children", {"id", "parent"}, {parent});
    case 5:
      return make(effect_kind::upsert, "children", {"parent"}, {parent});
    case 6:
      return make(effect_kind::set, "children", {"parent"}, {parent});
    case 7:
      return make(effect_kind::remove, "children", {}, {});
    default:
      return make(effect_kind::add, "children", {"n"}, {value::integer(d.other)});
  }
}

std::vector<part_status> commit(shop& at, const std::vector<drawn>& all, const std::string& prefix,
                                const std::string& id = "1") {
  std::vector<commit_part> parts;
  for (const auto& each : all) {
    const auto entity = prefix + "e" + std::to_string(parts.size());
    parts.push_back(at.part({shop::apply(pair_of(policies::ledger, {.entity = entity, .id = id}),
                                         {effect_of(at, each, prefix)})},
                            entity_row{}));
  }
  std::vector<part_status> statuses;
  for (const auto& answer : at.commit(parts)) {
    statuses.push_back(answer.status);
  }
  return statuses;
}

/// The table's rows of one run.
std::vector<std::vector<std::string>> rows_of(shop& at, const std::string& table,
                                              const std::string& prefix) {
  auto rows = at.fixture().rows(table);
  std::erase_if(rows, [&](const auto& row) { return !row.front().starts_with(prefix); });
  return rows;
}

}  // namespace

SQL_TEST_CASE("a child's insert waits for its parent's, and a later parent comes too late") {
  shop at(TestType::open(script, tables));
  const auto done = part_status::done;
  CHECK(commit(at, {{0, 1, 0}, {4, 1, 1}, {1, 1, 2}, {4, 2, 1}}, "a", "1") == std::vector(4, done));
  CHECK(commit(at, {{4, 3, 2}, {0, 2, 0}}, "a", "2") == std::vector{part_status::failed, done});
  CHECK(commit(at, {{7, 1, 0}, {7, 2, 0}, {3, 1, 0}}, "a", "3") == std::vector(3, done));
  CHECK(at.fixture().rows("children").empty());
}

SQL_TEST_CASE("grouped operations on parents and children equal those one by one") {
  shop grouped(TestType::open(script, tables), {.grouped = true});
  shop single(TestType::open(script, tables), {.grouped = false});
  int run = 0;
  const auto check = [&] {
    const auto number = [](int below) { return rc::gen::inRange(0, below); };
    const auto all = *rc::gen::resize(
        30, rc::gen::container<std::vector<drawn>>(rc::gen::build<drawn>(
                rc::gen::set(&drawn::what, number(9)), rc::gen::set(&drawn::row, number(3)),
                rc::gen::set(&drawn::other, number(4)))));
    const auto prefix = "r" + std::to_string(++run) + " ";
    RC_ASSERT(commit(grouped, all, prefix) == commit(single, all, prefix));
    for (const auto& table : tables) {
      RC_ASSERT(rows_of(grouped, table, prefix) == rows_of(single, table, prefix));
    }
  };
  property("same answers, same rows", check, TestType::percent_of_cases);
}
