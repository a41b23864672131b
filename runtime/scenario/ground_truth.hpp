#pragma once

#include "protocol/contract.hpp"
#include "protocol/decode.hpp"
#include "runtime/scenario/scenario_message.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace pawl {

/// A distinct (entity, message) pair of the workload: what must end in one outcome.
struct expected_pair {
  std::uint64_t message = 0;
  entity_ref entity;
  std::string type;
  std::string id;
  const message_contract* contract = nullptr;
  std::optional<message_version> version;
  fingerprint content;
  bool undecodable = false;  ///< must become a dead letter
};

/// What the workload says, apart from anything that a consumer did with it. Immutable.
class ground_truth {
 public:
  /// Decodes every distinct message once. `config`'s contracts outlive the truth.
  ground_truth(std::span<const scenario_message> workload, const decoder_config& config,
               const std::string& source);
  /// From pairs in the order of their messages' numbers.
  explicit ground_truth(std::vector<expected_pair> pairs);

  [[nodiscard]] const std::vector<expected_pair>& pairs() const noexcept { return pairs_; }
  /// The pair of a message and an entity, or null.
  [[nodiscard]] const expected_pair* find(std::uint64_t message, const entity_ref& entity) const;

 private:
  void index();

  std::vector<expected_pair> pairs_;           // by message
  std::vector<std::size_t> first_of_message_;  // index of its first pair; one more at the end
};

/// The message as a broker would hand it out, for decoding.
[[nodiscard]] message_ptr as_received(const scenario_message& said, const std::string& source);

}  // namespace pawl
