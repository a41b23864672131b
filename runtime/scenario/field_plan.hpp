#pragma once

#include "protocol/catalog.hpp"
#include "protocol/path.hpp"
#include "runtime/config/node_config.hpp"
#include "runtime/scenario/scenario_config.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace pawl {

/// What a generated field is for; the earlier one wins where a path serves several.
enum class field_role : std::uint8_t {
  constant,  ///< a `when` clause asks for it
  key,       ///< names the entity
  version,   ///< rises with every message of the entity
  unique,    ///< differs in every message: the id, or what makes a `unique` key one
  plain,
};

/// One place of a generated message and what goes there.
struct planned_field {
  path where;
  field_role role = field_role::plain;
  column_type type = column_type::text;  ///< of the column that it ends up in
  std::string sql_type;
  int scale = 2;         ///< of decimals: digits after the point
  std::string constant;  ///< of `constant`
  std::string prefix;    ///< of keys and ids: `SKU-17`
  field_hint hint;
};

/// The fields that a declared message reads, each once, with the type that the catalog asks for.
/// `refused` if a hint names a path that can't be generated.
[[nodiscard]] result<std::vector<planned_field>> plan_fields(const declared_message& declared,
                                                             const catalog& tables,
                                                             const workload_config& workload);

}  // namespace pawl
