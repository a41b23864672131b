#pragma once

#include "protocol/contract.hpp"
#include "protocol/decode.hpp"
#include "protocol/json_plan.hpp"
#include "protocol/json_reader.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pawl {

/// A path with the place where its value will be found.
struct bound_path {
  const path* where = nullptr;  ///< belongs to the contract
  std::size_t slot = json_plan::none;
  std::size_t group = json_plan::none;  ///< of a path with `[*]`
};

/// A contract with all its paths bound to one reader's slots.
struct bound_contract {
  const message_contract* contract = nullptr;
  std::vector<bound_path> when;
  std::vector<bound_path> key;
  std::vector<bound_path> id;
  std::optional<bound_path> version;
  std::vector<bound_path> fields;
  std::size_t key_group = json_plan::none;  ///< the list that the key repeats over

  std::uint16_t recipe = 0;
  /// The fields that fingerprints are taken over: not headers and coordinates, which may differ
  /// between two deliveries of one message.
  std::vector<std::size_t> fingerprinted;
  /// Where there are none: hashes the payload without what is to be ignored.
  std::unique_ptr<json_reader> rest;
};

/// All contracts of one decoder, by type and entity type.
class decode_plan {
 public:
  /// Entity types in the order of first declaration; contracts with `when` before the one without.
  using entity_types = std::vector<std::vector<std::unique_ptr<bound_contract>>>;

  explicit decode_plan(const decoder_config& config);

  [[nodiscard]] const bound_path& type() const noexcept { return type_; }
  [[nodiscard]] const json_plan& paths() const noexcept { return paths_; }
  /// Nothing if nobody declared the type.
  [[nodiscard]] const entity_types* find(const std::string& type) const;
  [[nodiscard]] std::vector<std::string> types() const;

 private:
  bound_path bind(const path& where);
  std::vector<bound_path> bind(const std::vector<path>& paths);
  std::unique_ptr<bound_contract> bind(const message_contract& contract);

  std::unique_ptr<path> type_path_;
  json_plan paths_;
  bound_path type_;
  std::unordered_map<std::string, entity_types> contracts_;
};

}  // namespace pawl
