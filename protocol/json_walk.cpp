#include "protocol/json_walk.hpp"

#include "protocol/json_number.hpp"
#include "protocol/limits.hpp"
#include "protocol/stable_hash.hpp"
#include "protocol/utf8.hpp"

#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace pawl {
namespace {

namespace od = simdjson::ondemand;

/// Fields of one object that are compared one by one; more are sorted, or a payload made of field
/// names would take quadratic time.
constexpr std::size_t compared_names_max = 16;

std::string_view trim_right(std::string_view token) {
  while (!token.empty() && (token.back() == ' ' || token.back() == '\n' || token.back() == '\r' ||
                            token.back() == '\t')) {
    token.remove_suffix(1);
  }
  return token;
}

std::uint64_t hash_token(const json_token& token) {
  stable_hash hash;
  hash.add(static_cast<std::uint64_t>(token.kind));
  hash.add(static_cast<std::uint64_t>(token.number));
  hash.add(token.text);
  return hash.value();
}

bool before(const json_name& left, const json_name& right) {
  return left.head != right.head ? left.head < right.head : left.text < right.text;
}

}  // namespace

class json_walk::impl {
 public:
  status read(std::string_view payload, const json_plan& plan, json_sink& sink) {
    plan_ = &plan;
    sink_ = &sink;
    (void)walk<false>(payload);
    return failed_ == nullptr ? status() : status(failure());
  }

  result<std::uint64_t> hash(std::string_view payload, const json_plan& plan) {
    plan_ = &plan;
    const std::uint64_t hashed = walk<true>(payload);
    return failed_ == nullptr ? result<std::uint64_t>(hashed) : result<std::uint64_t>(failure());
  }

 private:
  template <bool Hashing>
  std::uint64_t walk(std::string_view payload) {
    failed_ = nullptr;
    failed_at_ = nullptr;
    names_.clear();
    if (buffer_.size() < payload.size() + simdjson::SIMDJSON_PADDING) {
      buffer_.resize(2 * payload.size() + simdjson::SIMDJSON_PADDING);
    }
    std::memcpy(buffer_.data(), payload.data(), payload.size());
    std::memset(buffer_.data() + payload.size(), ' ', simdjson::SIMDJSON_PADDING);
    if (const auto code =
            parser_.iterate(buffer_.data(), payload.size(), buffer_.size()).get(document_)) {
      return fail(code);
    }
    od::object top;
    if (const auto code = document_.get_object().get(top)) {
      return fail(code == simdjson::INCORRECT_TYPE ? "it is not an object" : describe(code));
    }
    const std::uint64_t hashed = object<Hashing>(top, json_plan::root(), 1);
    if (failed_ != nullptr) {
      return 0;
    }
    if (document_.current_location().error() != simdjson::OUT_OF_BOUNDS) {
      return fail("something follows the object");
    }
    if constexpr (!Hashing) {
      if (!plan_->at(json_plan::root()).slots.empty()) {
        const std::size_t start = payload.find('{');
        fill(json_plan::root(),
             {value_kind::json, 0, trim_right({buffer_.data() + start, payload.size() - start})});
      }
    }
    return hashed;
  }

  template <bool Hashing>
  std::uint64_t object(od::object& entries, std::size_t node, std::size_t depth) {
    if (depth > limits::json_depth_max) {
      return fail("it is nested too deeply");
    }
    const std::size_t first_name = names_.size();
    std::uint64_t seen = 0;
    std::uint64_t sum = 0;
    for (auto entry : entries) {
      od::field field;
      if (const auto code = std::move(entry).get(field)) {
        return fail(code);
      }
      const json_name name = read_name(field);
      if (failed_ != nullptr || !remember(name, first_name, seen)) {
        return 0;
      }
      const std::size_t child =
          node == json_plan::none ? json_plan::none : plan_->named_child(node, name);
      const std::uint64_t part = any<Hashing>(field.value(), child, depth);
      if (failed_ != nullptr) {
        return 0;
      }
      if constexpr (Hashing) {
        if (!is_left_out(child)) {
          stable_hash hash;
          hash.add(name.text);
          hash.add(part);
          sum += hash.value();  // a sum, since the order of fields means nothing
        }
      }
    }
    if (!distinct_since(first_name)) {
      return fail("a field name stands twice in one object");
    }
    names_.resize(first_name);
    return sum;
  }

  template <bool Hashing>
  std::uint64_t array(od::array& elements, std::size_t node, std::size_t depth) {
    if (depth > limits::json_depth_max) {
      return fail("it is nested too deeply");
    }
    stable_hash hash;
    std::uint32_t index = 0;
    for (auto element : elements) {
      od::value item;
      if (const auto code = std::move(element).get(item)) {
        return fail(code);
      }
      std::size_t child = json_plan::none;
      if (node != json_plan::none) {
        child = plan_->indexed_child(node, index);
        if constexpr (!Hashing) {
          for (const std::size_t group : plan_->at(node).groups) {
            sink_->next_element(group);
          }
        }
      }
      const std::uint64_t part = any<Hashing>(item, child, depth);
      if (failed_ != nullptr) {
        return 0;
      }
      if constexpr (Hashing) {
        if (!is_left_out(child)) {
          hash.add(part);
        }
      }
      ++index;
    }
    return hash.value();
  }

  /// A value of any kind, whose parent is nested `depth` deep.
  template <bool Hashing>
  std::uint64_t any(od::value& item, std::size_t node, std::size_t depth) {
    const std::string_view raw = item.raw_json_token();
    const char first = raw.empty() ? '\0' : raw.front();
    if constexpr (!Hashing) {
      if (node != json_plan::none) {
        for (const std::size_t group : plan_->at(node).groups) {
          sink_->found_list(group, first == '[');
        }
      }
    }
    if (first == '{' || first == '[') {
      return nested<Hashing>(item, raw.data(), node, depth + 1);
    }
    const json_token token = scalar(item, raw);
    if (failed_ != nullptr) {
      return 0;
    }
    if constexpr (Hashing) {
      return hash_token(token);
    }
    fill(node, token);
    return 0;
  }

  template <bool Hashing>
  std::uint64_t nested(od::value& item, const char* start, std::size_t node, std::size_t depth) {
    std::uint64_t hashed = 0;
    if (*start == '{') {
      od::object entries;
      if (const auto code = item.get_object().get(entries)) {
        return fail(code);
      }
      hashed = object<Hashing>(entries, node, depth);
    } else {
      od::array elements;
      if (const auto code = item.get_array().get(elements)) {
        return fail(code);
      }
      hashed = array<Hashing>(elements, node, depth);
    }
    if (failed_ != nullptr) {
      return 0;
    }
    if constexpr (Hashing) {
      stable_hash hash;
      hash.add(static_cast<std::uint64_t>(*start));
      hash.add(hashed);
      return hash.value();
    }
    if (node != json_plan::none && !plan_->at(node).slots.empty()) {
      const char* end = nullptr;
      if (const auto code = document_.current_location().get(end)) {
        return fail(code);
      }
      fill(node, {value_kind::json, 0, trim_right({start, static_cast<std::size_t>(end - start)})});
    }
    return 0;
  }

  json_token scalar(od::value& item, std::string_view raw) {
    const std::string_view token = trim_right(raw);
    if (token.empty()) {
      (void)fail("a value is missing", raw.data());
      return {};
    }
    if (token.front() == '"') {
      return string(item, token);
    }
    if (token == "null") {
      return {value_kind::null, 0, {}};
    }
    if (token == "true" || token == "false") {
      return {value_kind::boolean, token == "true" ? 1 : 0, {}};
    }
    const json_number number = read_json_number(token);
    switch (number.kind) {
      case json_number_kind::integer:
        return {value_kind::integer, number.number, {}};
      case json_number_kind::decimal:
        return {value_kind::decimal, 0, token};
      case json_number_kind::malformed:
        break;
    }
    (void)fail("a value is neither string, number, true, false nor null", token.data());
    return {};
  }

  json_token string(od::value& item, std::string_view token) {
    const std::string_view inside = token.substr(1);
    const auto quote = inside.find('"');
    if (quote == std::string_view::npos) {
      (void)fail("a string does not end", token.data());
      return {};
    }
    if (inside.substr(0, quote).find('\\') == std::string_view::npos) {
      if (quote + 1 != inside.size()) {
        (void)fail("something follows a string", token.data());
        return {};
      }
      return {value_kind::text, 0, inside.substr(0, quote)};
    }
    std::string_view text;
    if (item.get_string().get(text) != simdjson::SUCCESS || !valid_utf8(text)) {
      (void)fail("a string holds a malformed escape", token.data());
      return {};
    }
    return {value_kind::text, 0, text};
  }

  json_name read_name(od::field& field) {
    const char* start = field.key().raw();
    const char* end = start;
    while (*end != '"' && *end != '\\') {
      ++end;  // the tokenizer has seen a closing quote
    }
    if (*end == '"') {
      return json_name::in_padded_buffer({start, static_cast<std::size_t>(end - start)});
    }
    std::string_view text;
    if (field.unescaped_key().get(text) != simdjson::SUCCESS || !valid_utf8(text)) {
      (void)fail("a field name holds a malformed escape", start);
      return {};
    }
    return json_name(text);
  }

  /// False if one of the first names of this object is the same. `seen` has a bit for each name,
  /// by a hash: most names meet no set bit and are compared with none.
  bool remember(const json_name& name, std::size_t first_name, std::uint64_t& seen) {
    const std::uint64_t bit = std::uint64_t{1} << ((name.head * 0x9E3779B97F4A7C15ULL) >> 58U);
    const std::size_t count = names_.size() - first_name;
    if ((seen & bit) != 0 && count < compared_names_max) {
      for (std::size_t i = first_name; i < names_.size(); ++i) {
        if (names_[i] == name) {
          (void)fail("a field name stands twice in one object", name.text.data());
          return false;
        }
      }
    }
    seen |= bit;
    names_.push_back(name);
    return true;
  }

  bool distinct_since(std::size_t first_name) {
    if (names_.size() - first_name <= compared_names_max) {
      return true;
    }
    const auto first = names_.begin() + static_cast<std::ptrdiff_t>(first_name);
    std::sort(first, names_.end(), before);
    return std::adjacent_find(first, names_.end()) == names_.end();
  }

  void fill(std::size_t node, const json_token& token) {
    if (node == json_plan::none) {
      return;
    }
    for (const std::size_t slot : plan_->at(node).slots) {
      sink_->fill(slot, token);
    }
  }

  [[nodiscard]] bool is_left_out(std::size_t node) const {
    return node != json_plan::none && !plan_->at(node).slots.empty();
  }

  static const char* describe(simdjson::error_code code) { return simdjson::error_message(code); }

  std::uint64_t fail(simdjson::error_code code) { return fail(describe(code)); }

  std::uint64_t fail(const char* why, const char* at = nullptr) {
    failed_ = why;
    failed_at_ = at;
    return 0;
  }

  [[nodiscard]] error failure() const {
    std::string text = "the payload is not JSON that can be read: " + std::string(failed_);
    const char* first = buffer_.data();
    if (failed_at_ != nullptr && failed_at_ >= first && failed_at_ < first + buffer_.size()) {
      text += " (byte " + std::to_string(failed_at_ - first) + ")";
    }
    return {fault::poison, "json", std::move(text)};
  }

  od::parser parser_;
  od::document document_;
  std::vector<char> buffer_;
  std::vector<json_name> names_;  // of the objects that are open, outermost first
  const json_plan* plan_ = nullptr;
  json_sink* sink_ = nullptr;
  const char* failed_ = nullptr;
  const char* failed_at_ = nullptr;
};

json_walk::json_walk() : impl_(std::make_unique<impl>()) {}
json_walk::json_walk(json_walk&&) noexcept = default;
json_walk& json_walk::operator=(json_walk&&) noexcept = default;
json_walk::~json_walk() = default;

status json_walk::read(std::string_view payload, const json_plan& plan, json_sink& sink) {
  return impl_->read(payload, plan, sink);
}

result<std::uint64_t> json_walk::hash_without_slots(std::string_view payload,
                                                    const json_plan& plan) {
  return impl_->hash(payload, plan);
}

}  // namespace pawl
