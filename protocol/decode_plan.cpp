#include "protocol/decode_plan.hpp"

#include "protocol/hash.hpp"
#include "protocol/invariant.hpp"

#include <algorithm>
#include <utility>

namespace pawl {
namespace {

bool differs_between_deliveries(const path& where) {
  return where.root == path_root::header || where.root == path_root::meta;
}

/// Chooses what fingerprints are taken over, and hashes that choice as the recipe.
void plan_fingerprint(bound_contract& bound) {
  const message_contract& contract = *bound.contract;
  std::vector<std::string_view> read;
  for (std::size_t i = 0; i < contract.fields.size(); ++i) {
    if (!differs_between_deliveries(contract.fields[i].where)) {
      bound.fingerprinted.push_back(i);
      read.push_back(contract.fields[i].where.source);
    }
  }
  if (bound.fingerprinted.empty()) {
    json_plan ignored;
    read.emplace_back("$ without");
    for (const path& one : contract.fingerprint_ignore) {
      ignored.add(one.steps);
      read.push_back(one.source);
    }
    bound.rest = std::make_unique<json_reader>(std::move(ignored));
  }
  bound.recipe = hash_recipe(read);
}

}  // namespace

decode_plan::decode_plan(const decoder_config& config) {
  result<path> type = parse_path(config.type_path.empty() ? "$.type" : config.type_path);
  invariant(type.ok(), "a decoder was made with a malformed type path");
  type_path_ = std::make_unique<path>(std::move(*type));
  type_ = bind(*type_path_);
  for (const message_contract* contract : config.contracts) {
    entity_types& of_type = contracts_[contract->type];
    const auto same_entity = std::find_if(of_type.begin(), of_type.end(), [&](const auto& group) {
      return group.front()->contract->entity_type == contract->entity_type;
    });
    auto& group = same_entity == of_type.end() ? of_type.emplace_back() : *same_entity;
    group.push_back(bind(*contract));
    std::stable_partition(group.begin(), group.end(),
                          [](const auto& one) { return !one->when.empty(); });
  }
}

const decode_plan::entity_types* decode_plan::find(const std::string& type) const {
  const auto found = contracts_.find(type);
  return found == contracts_.end() ? nullptr : &found->second;
}

std::vector<std::string> decode_plan::types() const {
  std::vector<std::string> names;
  for (const auto& entry : contracts_) {
    names.push_back(entry.first);
  }
  std::sort(names.begin(), names.end());
  return names;
}

bound_path decode_plan::bind(const path& where) {
  bound_path bound;
  bound.where = &where;
  if (where.root == path_root::payload) {
    bound.slot = paths_.add(where.steps);
    bound.group = paths_.group_of(bound.slot);
  }
  return bound;
}

std::vector<bound_path> decode_plan::bind(const std::vector<path>& paths) {
  std::vector<bound_path> bound;
  bound.reserve(paths.size());
  for (const path& one : paths) {
    bound.push_back(bind(one));
  }
  return bound;
}

std::unique_ptr<bound_contract> decode_plan::bind(const message_contract& contract) {
  auto bound = std::make_unique<bound_contract>();
  bound->contract = &contract;
  for (const when_clause& clause : contract.when) {
    bound->when.push_back(bind(clause.where));
  }
  bound->key = bind(contract.key);
  for (const bound_path& part : bound->key) {
    bound->key_group = part.group != json_plan::none ? part.group : bound->key_group;
  }
  bound->id = bind(contract.id);
  if (contract.version) {
    bound->version = bind(*contract.version);
  }
  for (const field_path& field : contract.fields) {
    bound->fields.push_back(bind(field.where));
  }
  plan_fingerprint(*bound);
  return bound;
}

}  // namespace pawl
