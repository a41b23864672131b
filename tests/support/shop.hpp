#pragma once

#include "protocol/contract.hpp"
#include "protocol/effect_list.hpp"
#include "protocol/shape_registry.hpp"
#include "storage/runner.hpp"
#include "tests/support/faulty_session.hpp"
#include "tests/support/store_fixture.hpp"

#include <memory>
#include <string>
#include <vector>

namespace pawl_test {

/// The tables of the commit's tests.
///   stock(sku key, on_hand >= 0, reserved, note may be null)
///   shipments(order_id, sku, kind unique; quantity, comment may be null)
///   totals(name key, amount >= -100): rows that many entities share
///   labels(id key, label unique, NOT NULL)
[[nodiscard]] std::vector<pawl::memory_table> shop_tables();

/// One contract for each policy, of entity type `sku`.
[[nodiscard]] const pawl::message_contract& contract_of(pawl::policy pair);

/// What a test says of one message.
struct said {
  std::string entity = "a";
  std::string id = "1";
  std::string content = "x";  ///< what the fingerprint is taken over
  std::optional<std::int64_t> version = std::nullopt;
};
[[nodiscard]] pawl::addressed_ptr pair_of(pawl::policy pair, const said& what);

struct shop_options {
  bool grouped = true;
  /// The runner knows every shape from the start, and that stock is keyed by its entity.
  bool declared = false;
};

/// The shop's effects, and commits of them through a runner.
class shop {
 public:
  explicit shop(std::unique_ptr<store_fixture> fixture, shop_options options = {true, false});
  [[nodiscard]] pawl::effect reserve(const std::string& sku, std::int64_t quantity);
  [[nodiscard]] pawl::effect receive(const std::string& sku, std::int64_t quantity);
  [[nodiscard]] pawl::effect count(const std::string& sku, std::int64_t on_hand);  ///< an upsert
  [[nodiscard]] pawl::effect note(const std::string& sku, pawl::value text);       ///< a set
  [[nodiscard]] pawl::effect forget(const std::string& sku);                       ///< a remove
  [[nodiscard]] pawl::effect ship(const std::string& order, const std::string& sku,
                                  std::int64_t quantity);  ///< an insert under the unique key
  [[nodiscard]] pawl::effect total(const std::string& name, std::int64_t amount);
  [[nodiscard]] pawl::effect label(const std::string& id, const std::string& text);  ///< an upsert
  [[nodiscard]] pawl::effect make(const pawl::effect_shape& shape, std::vector<pawl::value> values);

  [[nodiscard]] static pawl::commit_item apply(pawl::addressed_ptr pair,
                                               std::vector<pawl::effect> effects);
  [[nodiscard]] static pawl::commit_item dead(pawl::addressed_ptr pair);
  [[nodiscard]] static pawl::commit_item park(
      pawl::addressed_ptr pair, pawl::park_reason why = pawl::park_reason::behind_dead);
  /// A part of the first item's entity, under this node's lease.
  [[nodiscard]] pawl::commit_part part(std::vector<pawl::commit_item> items);
  [[nodiscard]] pawl::commit_part part(std::vector<pawl::commit_item> items,
                                       pawl::entity_row before);

  /// Everything must be answered.
  std::vector<pawl::part_answer> commit(const std::vector<pawl::commit_part>& parts);
  /// One part of one message.
  pawl::outcome commit_one(pawl::commit_item item);
  pawl::batch_result run(const std::vector<pawl::commit_part>& parts);

  [[nodiscard]] pawl::loaded_entity load(const std::string& key);
  [[nodiscard]] std::vector<pawl::dead_letter_row> dead_letters();
  [[nodiscard]] pawl::message_traces trace(const pawl::addressed_ptr& pair);
  [[nodiscard]] store_fixture& fixture() { return *fixture_; }
  /// The session that the runner commits through; it does what the store's does until told to fail.
  [[nodiscard]] faulty_session& session() { return *session_; }
  pawl::fault_hook at_fault_point;  ///< taken by the next `run`

 private:
  void declare(pawl::rules_input& rules);

  std::unique_ptr<store_fixture> fixture_;
  std::unique_ptr<faulty_session> session_;
  pawl::shape_registry shapes_;
  std::unique_ptr<pawl::commit_runner> runner_;
};

}  // namespace pawl_test
