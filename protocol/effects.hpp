#pragma once

#include "protocol/effect_list.hpp"
#include "protocol/policy.hpp"

namespace pawl {

/// What a C++ handler lists its effects in. It has only the methods that are safe under its policy,
/// so `effects<policies::natural>` has no `add`: what could count a redelivered message twice does
/// not compile. A name, type or key that the database would refuse fails the message, with a text.
///
///     void handle(const order_placed& order, effects<policies::ledger>& out) {
///       out.add("inventory", {{"sku", order.sku}}, {{"reserved", order.quantity}});
///     }
template <policy P>
class effects {
  static_assert(!refuse(P).has_value(), "dedupe and order do not go together: see pawl::refuse");

 public:
  /// A thin view: `list` outlives it and must be of the same policy.
  explicit effects(effect_list& list) : list_(&list) {}

  /// Updates the row of `key`, or inserts it with key and values.
  void upsert(std::string_view table, const std::vector<column_value>& key,
              const std::vector<column_value>& values) requires(allows(P, effect_kind::upsert)) {
    list_->add_keyed(effect_kind::upsert, table, key, values);
  }

  /// Inserts a row. Under `unique` the first effect is this, and names the columns of its unique
  /// key: a row that exists means that the message is done. Elsewhere a conflict fails the message.
  void insert(std::string_view table, const std::vector<column_value>& values,
              std::vector<std::string> unique_key = {}) requires(allows(P, effect_kind::insert)) {
    list_->add_insert(table, values, std::move(unique_key));
  }

  /// Updates the row of `key`; a row that is missing fails the message.
  void set(std::string_view table, const std::vector<column_value>& key,
           const std::vector<column_value>& values) requires(allows(P, effect_kind::set)) {
    list_->add_keyed(effect_kind::set, table, key, values);
  }

  /// Adds to numbers of the row of `key`; a missing row starts from the column defaults, or fails
  /// the message if `missing` says so.
  void add(std::string_view table, const std::vector<column_value>& key,
           const std::vector<column_value>& deltas,
           missing_row missing = missing_row::create) requires(allows(P, effect_kind::add)) {
    list_->add_keyed(effect_kind::add, table, key, deltas, missing);
  }

  /// Removes the row of `key`; one that is gone already is fine.
  void remove(std::string_view table,
              const std::vector<column_value>& key) requires(allows(P, effect_kind::remove)) {
    list_->add_keyed(effect_kind::remove, table, key, {});
  }

  /// Replaces the entity's state, for a handler that reads it.
  void state(std::string bytes) requires(allows_state(P)) { list_->state(std::move(bytes)); }

 private:
  effect_list* list_;
};

}  // namespace pawl
