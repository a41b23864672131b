#include "tests/check.hpp"
#include "tests/support/postgres_committer.hpp"

namespace {

using namespace pawl;
using namespace pawl::test;

ledger_key key_of(std::uint8_t number) {
  ledger_key key;
  key.bytes.fill(number);
  return key;
}

parked_row parked_of(std::uint8_t number, const entity_ref& entity, park_reason why) {
  parked_row row;
  row.key = key_of(number);
  row.entity = entity;
  row.shard = {1};
  row.why = why;
  row.content = {number};
  row.envelope = std::string("\0envelope", 9);
  if (why == park_reason::gap) {
    row.version = message_version{number};
  }
  return row;
}

dead_letter_row dead_of(std::uint8_t number, const entity_ref& entity) {
  dead_letter_row row;
  row.key = key_of(number);
  row.entity = entity;
  row.shard = {1};
  row.content = {0xfedcba9876543210U};
  row.reason = "handler";
  row.text = "it's \"broken\"";
  row.attempts = 5;
  row.blocks = true;
  row.envelope = "bytes";
  return row;
}

const entity_ref blocked{"sku", "a'\"\\b"};
const entity_ref gapped{"sku", "g"};

/// One blocked entity with a dead letter and a message behind it, one entity with a gap, a ledger
/// row.
void fill(postgres_node& node, commit_session& session) {
  entity_write write;
  write.entity = blocked;
  write.shard = {1};
  write.row.revision = {1};
  write.row.blocked = true;
  entity_write other = write;
  other.entity = gapped;
  other.row.blocked = false;
  other.row.version = message_version{4};
  other.row.state = std::string("\0s", 2);
  const std::vector<entity_write> writes{write, other};
  const std::vector<parked_row> parked{parked_of(8, blocked, park_reason::behind_dead),
                                       parked_of(7, gapped, park_reason::gap),
                                       parked_of(6, gapped, park_reason::gap)};
  const dead_letter_row dead = dead_of(9, blocked);
  const ledger_row done{key_of(1), {11}};
  take(session.begin(), "begin");
  take(session.fence(node.grants), "fence");
  take(session.insert_ledger({&done, 1}), "ledger");
  CHECK(take(session.move_entities(writes), "entities") == std::vector<bool>{true, true});
  take(session.write_parked(parked), "parked");
  take(session.write_dead_letters({&dead, 1}), "dead letter");
  take(session.commit(), "commit");
}

}  // namespace

TEST_CASE("PostgreSQL: the command line sees what waits, where, and why") {
  postgres_node node;
  auto session = node.committer();
  fill(node, *session);
  auto admin = take(node.opened->open_admin("stock"), "admin");
  auto janitor = take(node.opened->open_janitor("stock"), "janitor");
  const std::vector<source_position> reached{{"orders", "0", 7, "x"}, {"orders", "0", 5, "x"}};
  take(janitor->save_positions(reached), "positions");

  const auto status = take(admin->status_of(), "status");
  CHECK(status.consumer == "stock");
  CHECK(status.shards == 4);
  CHECK(status.leases.size() == 4);
  CHECK(status.leases[0].node == "node-1");
  CHECK(status.leases[0].expires_in_ms > 0);
  CHECK(status.parked_behind_dead == 1);
  CHECK(status.parked_gap == 2);
  CHECK(status.blocked_entities == 1);
  CHECK(status.dead_letters.at("handler") == 1);
  REQUIRE(status.positions.size() == 1);
  CHECK(status.positions[0].position == 7);

  const auto dead = take(admin->trace(key_of(9)), "trace").dead_letters;
  REQUIRE(dead.size() == 1);
  CHECK(dead[0].entity == blocked);
  CHECK(dead[0].content == fingerprint{0xfedcba9876543210U});
  CHECK(dead[0].text == "it's \"broken\"");
  CHECK(dead[0].since > 1'700'000'000'000);
  CHECK(take(admin->dead_letter(dead[0].id), "dead letter")->attempts == 5);
  const auto traces = take(admin->trace(key_of(1)), "trace");
  CHECK(traces.ledger_generation == 1);
  CHECK(traces.ledger->content == fingerprint{11});
  CHECK(take(admin->trace(key_of(8)), "trace").parked->envelope == std::string("\0envelope", 9));

  const auto gaps = take(admin->parked(gapped, 10), "parked");
  REQUIRE(gaps.size() == 2);
  CHECK(gaps[0].version == message_version{6});
  const auto entity = take(admin->entity(gapped), "entity");
  CHECK(entity->row.state == std::string("\0s", 2));
  CHECK(entity->lowest_gap == message_version{6});
  CHECK_FALSE(take(admin->entity({"sku", "nobody"}), "entity").has_value());
  CHECK(take(admin->entities("sku", 10), "entities") == std::vector<entity_ref>{blocked, gapped});
}

TEST_CASE("PostgreSQL: a mark is found by the janitor, and so are entities that could go on") {
  postgres_node node;
  auto session = node.committer();
  fill(node, *session);
  auto admin = take(node.opened->open_admin("stock"), "admin");
  auto janitor = take(node.opened->open_janitor("stock"), "janitor");
  const auto dead = take(admin->dead_letters(10), "dead letters");
  REQUIRE(dead.size() == 1);
  CHECK(take(janitor->marked(10), "marked").empty());
  CHECK(take(admin->mark(dead[0].id, dead_letter_mark::discard), "mark"));
  CHECK_FALSE(take(admin->mark(dead[0].id + 1, dead_letter_mark::discard), "mark"));
  const auto marked = take(janitor->marked(10), "marked");
  REQUIRE(marked.size() == 1);
  CHECK(marked[0].entity == blocked);
  CHECK(marked[0].mark == dead_letter_mark::discard);

  CHECK(take(janitor->undrained(10), "undrained").empty());
  node.database.execute(
      "DELETE FROM pawl.dead_letter; UPDATE pawl.entity SET version = 5 WHERE key = 'g'");
  const auto undrained = take(janitor->undrained(10), "undrained");
  REQUIRE(undrained.size() == 2);
  CHECK(undrained[0].entity == blocked);
  CHECK(undrained[0].why == park_reason::behind_dead);
  CHECK(undrained[1].entity == gapped);
  CHECK(undrained[1].why == park_reason::gap);
}
