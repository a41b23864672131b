#include "runtime/config/explain.hpp"

#include "protocol/decode.hpp"
#include "protocol/effect_list.hpp"
#include "protocol/hash.hpp"

#include <exception>
#include <utility>

namespace pawl {
namespace {

std::string literal(const value& shown) {
  if (shown.is_null()) {
    return "NULL";
  }
  if (shown.kind() == value_kind::boolean || shown.kind() == value_kind::integer ||
      shown.kind() == value_kind::decimal) {
    return shown.to_text();
  }
  std::string text = "'";
  for (const char c : shown.to_text()) {
    text += c == '\'' ? "''" : std::string(1, c);
  }
  return text + '\'';
}

std::string names(const std::vector<std::string>& columns) {
  std::string text;
  for (const std::string& column : columns) {
    text += (text.empty() ? "" : ", ") + column;
  }
  return '(' + text + ')';
}

/// `a = 1, b = 2` or `a = a + 1`, from the values behind `offset`.
std::string assignments(const std::vector<std::string>& columns, const effect& shown,
                        std::size_t offset, std::string_view between, bool adds) {
  std::string text;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    text += (text.empty() ? "" : std::string(between)) + columns[i] + " = " +
            (adds ? columns[i] + " + " : "") + literal(shown.values[offset + i]);
  }
  return text;
}

std::string insert_text(const effect& shown) {
  std::string values;
  for (const value& each : shown.values) {
    values += (values.empty() ? "" : ", ") + literal(each);
  }
  const std::string text = "INSERT INTO " + shown.shape->table + ' ' + names(shown.shape->columns) +
                           " VALUES (" + values + ')';
  return shown.shape->key.empty() ? text : text + " once per " + names(shown.shape->key);
}

std::vector<const message_contract*> contracts_of(
    const std::vector<handler_registration>& handlers) {
  std::vector<const message_contract*> contracts;
  for (const handler_registration& each : handlers) {
    contracts.push_back(each.contract.get());
  }
  return contracts;
}

const handler* find_handler(const std::vector<handler_registration>& handlers,
                            const message_contract* contract) {
  for (const handler_registration& each : handlers) {
    if (each.contract.get() == contract) {
      return each.run.get();
    }
  }
  return nullptr;
}

explained_pair explain_pair(const addressed_message& pair, const handler* run,
                            const catalog& tables, shape_registry& shapes) {
  const policy declared = pair.contract->pair;
  explained_pair shown;
  shown.entity_type = pair.entity.type;
  shown.entity_key = pair.entity.key;
  shown.id = pair.id;
  if (pair.version) {
    shown.version = pair.version->value;
  }
  shown.ledger_key = to_hex(pair.key);
  if (pair.undecodable) {
    shown.failure = pair.undecodable->text;
    return shown;
  }
  shown.policies = "dedupe: " + std::string(name_of(declared.dedupe)) +
                   ", order: " + std::string(name_of(declared.order));
  effect_list list(declared, tables, shapes);
  try {
    run->handle(pair, std::nullopt, list);
  } catch (const std::exception& thrown) {
    shown.failure = thrown.what();
    return shown;
  }
  const result<std::vector<effect>> effects = list.take();
  if (!effects) {
    shown.failure = effects.error().text;
    return shown;
  }
  for (const effect& each : *effects) {
    shown.effects.push_back(to_text(each));
  }
  return shown;
}

}  // namespace

std::string to_text(const effect& shown) {
  const effect_shape& shape = *shown.shape;
  if (shape.kind == effect_kind::insert) {
    return insert_text(shown);
  }
  const std::string where = " WHERE " + assignments(shape.key, shown, 0, " AND ", false);
  if (shape.kind == effect_kind::remove) {
    return "DELETE FROM " + shape.table + where;
  }
  const bool adds = shape.kind == effect_kind::add;
  const std::string set =
      shape.table + " SET " + assignments(shape.columns, shown, shape.key.size(), ", ", adds);
  const bool creates =
      shape.kind == effect_kind::upsert || (adds && shape.missing == missing_row::create);
  return (creates ? "UPSERT " : "UPDATE ") + set + where;
}

explained_message explain_message(const node_config& config,
                                  const std::vector<handler_registration>& handlers,
                                  const catalog& tables, shape_registry& shapes,
                                  const message_ptr& received) {
  const std::string type_path =
      config.sources.empty() ? "$.type" : config.sources.front().type_path;
  message_decoder decoder({config.consumer, contracts_of(handlers), type_path});
  explained_message shown;
  for (const addressed_ptr& pair : decoder.decode(received)) {
    shown.type = pair->type;
    shown.pairs.push_back(
        explain_pair(*pair, find_handler(handlers, pair->contract), tables, shapes));
  }
  return shown;
}

}  // namespace pawl
