#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace pawl {

/// How a message type is made idempotent (design.md section 4). There is no default.
enum class dedupe_policy : std::uint8_t { natural, unique, version, ledger };
/// In which order an entity's messages take effect.
enum class order_policy : std::uint8_t { arrival, latest, sequence };
/// What a dead letter does to its entity's later messages.
enum class on_dead_policy : std::uint8_t { park, skip };

enum class effect_kind : std::uint8_t { upsert, insert, set, add, remove };

inline constexpr std::array all_effect_kinds{effect_kind::upsert, effect_kind::insert,
                                             effect_kind::set, effect_kind::add,
                                             effect_kind::remove};

[[nodiscard]] constexpr std::string_view name_of(dedupe_policy which) {
  constexpr std::array<std::string_view, 4> names{"natural", "unique", "version", "ledger"};
  return names[static_cast<std::size_t>(which)];
}
[[nodiscard]] constexpr std::string_view name_of(order_policy which) {
  constexpr std::array<std::string_view, 3> names{"arrival", "latest", "sequence"};
  return names[static_cast<std::size_t>(which)];
}
[[nodiscard]] constexpr std::string_view name_of(effect_kind which) {
  constexpr std::array<std::string_view, 5> names{"upsert", "insert", "set", "add", "remove"};
  return names[static_cast<std::size_t>(which)];
}

/// A pair of the two; usable as a template argument.
struct policy {
  dedupe_policy dedupe = dedupe_policy::ledger;
  order_policy order = order_policy::arrival;
  friend constexpr bool operator==(const policy&, const policy&) = default;
};

namespace policies {
inline constexpr policy natural{dedupe_policy::natural, order_policy::arrival};
inline constexpr policy unique{dedupe_policy::unique, order_policy::arrival};
inline constexpr policy latest{dedupe_policy::version, order_policy::latest};
inline constexpr policy sequence{dedupe_policy::version, order_policy::sequence};
inline constexpr policy ledger{dedupe_policy::ledger, order_policy::arrival};
}  // namespace policies

/// Why a declaration is refused and what to write instead.
struct refusal {
  std::string_view reason;
  std::string_view fix;
};

/// Nothing for the five legal pairs, else the reason and the fix.
[[nodiscard]] constexpr std::optional<refusal> refuse(policy pair) {
  if (pair.dedupe == dedupe_policy::version) {
    if (pair.order == order_policy::arrival) {
      return refusal{
          "a version is an order of its own: under `dedupe: version` messages can't take effect as "
          "they arrive",
          "write `order: latest` (older ones are dropped) or `order: sequence` (none may be "
          "missing)"};
    }
    return std::nullopt;
  }
  if (pair.order != order_policy::arrival) {
    return refusal{
        "`order: latest` and `order: sequence` compare versions, which only `dedupe: version` "
        "guards",
        "write `dedupe: version`, or leave `order` out"};
  }
  return std::nullopt;
}

/// Nothing if messages under `pair` may carry effects of `kind`, else the reason and the fix.
[[nodiscard]] constexpr std::optional<refusal> refuse(policy pair, effect_kind kind) {
  if (pair.dedupe == dedupe_policy::natural && kind == effect_kind::add) {
    return refusal{"`add` under `dedupe: natural` counts a redelivered message again",
                   "use `set` or `upsert`, or `dedupe: ledger`"};
  }
  if (pair.dedupe == dedupe_policy::natural && kind == effect_kind::insert) {
    return refusal{"`insert` under `dedupe: natural` fails or doubles when the message comes again",
                   "use `upsert`, or `dedupe: unique` with the insert as guard"};
  }
  if (pair == policies::latest && kind == effect_kind::add) {
    return refusal{"`add` under `order: latest` loses the delta of every version that is skipped",
                   "use `set` or `upsert`, or `order: sequence`"};
  }
  return std::nullopt;
}

[[nodiscard]] constexpr bool allows(policy pair, effect_kind kind) {
  return !refuse(pair).has_value() && !refuse(pair, kind).has_value();
}

/// State that survives between messages is safe only where the guard is known before the handler
/// runs: under `ledger` (looked up first) and `version` (the entity's row).
[[nodiscard]] constexpr bool allows_state(policy pair) {
  return pair.dedupe == dedupe_policy::ledger || pair.dedupe == dedupe_policy::version;
}

}  // namespace pawl
