#include "runtime/config/check_report.hpp"
#include "runtime/scenario/json_text.hpp"

#include <string_view>
#include <utility>

namespace pawl {
namespace {

std::string counted(std::size_t count, std::string_view what) {
  return std::to_string(count) + ' ' + std::string(what) + (count == 1 ? "" : "s");
}

void add_promise(const handler_promise& promise, std::string& text) {
  text += promise.message_type + " -> " + promise.entity_type + " (" + promise.policies + ")\n";
  for (const std::string& sentence : promise.promised) {
    text += "  " + sentence + '\n';
  }
  for (const std::string& sentence : promise.warnings) {
    text += "  warning: " + sentence + '\n';
  }
}

void add_message(const explained_message& message, std::string& text) {
  text += "\nThe message: type " + (message.type.empty() ? "unknown" : message.type) + '\n';
  if (message.pairs.empty()) {
    text += "  addresses nothing: it would be acknowledged and counted as unaddressed\n";
  }
  for (const explained_pair& pair : message.pairs) {
    text += "  " + pair.entity_type + ' ' + pair.entity_key + "\n    id: " + pair.id + '\n';
    if (pair.version) {
      text += "    version: " + std::to_string(*pair.version) + '\n';
    }
    if (!pair.policies.empty()) {
      text += "    " + pair.policies + '\n';
    }
    for (const std::string& effect : pair.effects) {
      text += "    " + effect + '\n';
    }
    if (!pair.failure.empty()) {
      text += "    would be a dead letter: " + pair.failure + '\n';
    }
  }
}

/// Writes a JSON object or array, an element at a time.
class json_list {
 public:
  explicit json_list(char open) : text_(1, open), close_(open == '{' ? '}' : ']') {}
  void add(const std::string& json) { text_ += (text_.size() > 1 ? "," : "") + json; }
  void add(std::string_view name, const std::string& json) { add(json_quote(name) + ':' + json); }
  [[nodiscard]] std::string text() const { return text_ + close_; }

 private:
  std::string text_;
  char close_;
};

std::string json_texts(const std::vector<std::string>& texts) {
  json_list list('[');
  for (const std::string& each : texts) {
    list.add(json_quote(each));
  }
  return list.text();
}

void add_place(const file_position& where, json_list& object) {
  object.add("file", json_quote(where.file));
  object.add("line", std::to_string(where.line));
  object.add("column", std::to_string(where.column));
}

std::string json_of(const config_problem& problem) {
  json_list object('{');
  add_place(problem.where, object);
  object.add("what", json_quote(problem.what));
  object.add("fix", json_quote(problem.fix));
  return object.text();
}

std::string json_of(const handler_promise& promise) {
  json_list object('{');
  object.add("entity", json_quote(promise.entity_type));
  object.add("message", json_quote(promise.message_type));
  object.add("policies", json_quote(promise.policies));
  add_place(promise.where, object);
  object.add("promised", json_texts(promise.promised));
  object.add("warnings", json_texts(promise.warnings));
  return object.text();
}

std::string json_of(const explained_pair& pair) {
  json_list object('{');
  object.add("entity", json_quote(pair.entity_type));
  object.add("key", json_quote(pair.entity_key));
  object.add("id", json_quote(pair.id));
  object.add("version", pair.version ? std::to_string(*pair.version) : "null");
  object.add("policies", json_quote(pair.policies));
  object.add("ledger_key", json_quote(pair.ledger_key));
  object.add("effects", json_texts(pair.effects));
  object.add("failure", pair.failure.empty() ? "null" : json_quote(pair.failure));
  return object.text();
}

template <class Range>
std::string json_array(const Range& range) {
  json_list list('[');
  for (const auto& each : range) {
    list.add(json_of(each));
  }
  return list.text();
}

}  // namespace

std::string to_text(const check_report& report) {
  std::string text;
  if (!report.problems.empty()) {
    return to_text(report.problems) + report.file + ": " +
           counted(report.problems.size(), "problem") + '\n';
  }
  std::size_t warnings = 0;
  for (const handler_promise& promise : report.promises) {
    add_promise(promise, text);
    warnings += promise.warnings.size();
  }
  if (report.message) {
    add_message(*report.message, text);
  }
  return text + '\n' + report.file + ": sound, " + counted(warnings, "warning") + '\n';
}

std::string to_json(const check_report& report) {
  json_list object('{');
  object.add("file", json_quote(report.file));
  object.add("problems", json_array(report.problems));
  object.add("promises", json_array(report.promises));
  if (report.message) {
    json_list message('{');
    message.add("type", json_quote(report.message->type));
    message.add("pairs", json_array(report.message->pairs));
    object.add("message", message.text());
  }
  return object.text();
}

}  // namespace pawl
