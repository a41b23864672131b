#include "protocol/path.hpp"

#include "protocol/limits.hpp"

#include <charconv>
#include <optional>

namespace pawl {
namespace {

constexpr std::string_view example =
    "a path looks like $.a.b, $.lines[*].sku, $['odd name'], $header.x, $meta.offset or $key";

/// Characters that end an unquoted name: they mean something in a path, or would hide in one.
bool ends_name(char c) {
  return static_cast<unsigned char>(c) <= 0x20U || c == 0x7F ||
         std::string_view(".[]'\"(){}*,\\$").find(c) != std::string_view::npos;
}

class path_parser {
 public:
  explicit path_parser(std::string_view text) : text_(text) {}

  result<path> parse() {
    path_.source = std::string(text_);
    path_.negated = take('-');
    if (!take('$')) {
      return wrong("a path starts with $");
    }
    std::optional<error> failed = at_ == text_.size() || text_[at_] == '.' || text_[at_] == '['
                                      ? parse_steps()
                                      : parse_root();
    if (failed) {
      return *failed;
    }
    const bool text_only = path_.root == path_root::header || path_.root == path_root::key ||
                           path_.root == path_root::id;
    if (path_.negated && text_only) {
      at_ = 0;
      return wrong("a minus sign needs a number, and this is text");
    }
    return std::move(path_);
  }

 private:
  bool take(char c) {
    const bool found = at_ < text_.size() && text_[at_] == c;
    at_ += found ? 1 : 0;
    return found;
  }

  [[nodiscard]] error wrong(std::string_view why) const {
    return {fault::refused, std::to_string(at_),
            "path \"" + std::string(text_) + "\", character " + std::to_string(at_ + 1) + ": " +
                std::string(why) + "; " + std::string(example)};
  }

  std::optional<error> parse_root() {
    const std::size_t start = at_;
    const std::string word(take_name());
    if (word == "key" || word == "id" || word == "version") {
      path_.root = word == "key"  ? path_root::key
                   : word == "id" ? path_root::id
                                  : path_root::version;
      return at_ == text_.size() ? std::nullopt
                                 : std::optional(wrong("nothing may follow $" + word));
    }
    if (word != "header" && word != "meta") {
      at_ = start;
      return wrong("there is no $" + word + " (a field of the payload is $." + word + ")");
    }
    path_.root = word == "header" ? path_root::header : path_root::meta;
    if (auto failed = parse_steps()) {
      return failed;
    }
    if (path_.steps.size() != 1 || path_.steps[0].kind != path_step::what::name) {
      return wrong("$" + word + " takes one name, as in $" + word +
                   (word == "header" ? ".x" : ".offset"));
    }
    const std::string& name = path_.steps[0].name;
    if (path_.root == path_root::meta && name != "source" && name != "partition" &&
        name != "offset") {
      at_ = start;
      return wrong("$meta knows source, partition and offset");
    }
    return std::nullopt;
  }

  std::optional<error> parse_steps() {
    while (at_ < text_.size()) {
      std::optional<error> failed;
      if (take('.')) {
        failed = parse_name();
      } else if (take('[')) {
        failed = parse_bracket();
      } else {
        failed = wrong("a step starts with . or [");
      }
      if (failed) {
        return failed;
      }
      const bool first = path_.steps.size() == 1;
      if (first && path_.root == path_root::payload &&
          path_.steps[0].kind != path_step::what::name) {
        return wrong("a payload is an object, so the first step is a name");
      }
      if (path_.steps.size() > limits::json_depth_max) {
        return wrong("the path is deeper than any payload may be");
      }
    }
    return std::nullopt;
  }

  std::string_view take_name() {
    const std::size_t start = at_;
    while (at_ < text_.size() && !ends_name(text_[at_])) {
      ++at_;
    }
    return text_.substr(start, at_ - start);
  }

  std::optional<error> parse_name() {
    const std::string_view name = take_name();
    if (name.empty()) {
      return wrong("a name is missing after the dot (quote an odd one: $['odd name'])");
    }
    path_.steps.push_back({path_step::what::name, std::string(name), 0});
    return std::nullopt;
  }

  std::optional<error> parse_bracket() {
    if (take('*')) {
      if (path_.each_prefix() != 0) {
        return wrong("a path may hold one [*]");
      }
      path_.steps.push_back({path_step::what::each, {}, 0});
    } else if (take('\'')) {
      if (auto failed = parse_quoted()) {
        return failed;
      }
    } else if (auto failed = parse_index()) {
      return failed;
    }
    return take(']') ? std::nullopt : std::optional(wrong("a ] is missing"));
  }

  std::optional<error> parse_quoted() {
    std::string name;
    while (at_ < text_.size() && text_[at_] != '\'') {
      if (take('\\') && (at_ == text_.size() || (text_[at_] != '\'' && text_[at_] != '\\'))) {
        return wrong("a backslash stands before a quote or a backslash");
      }
      name.push_back(text_[at_++]);
    }
    if (!take('\'')) {
      return wrong("the closing quote is missing");
    }
    path_.steps.push_back({path_step::what::name, std::move(name), 0});
    return std::nullopt;
  }

  std::optional<error> parse_index() {
    const char* first = text_.data() + at_;
    const char* last = text_.data() + text_.size();
    std::uint32_t index = 0;
    const auto read = std::from_chars(first, last, index);
    const auto digits = static_cast<std::size_t>(read.ptr - first);
    if (read.ec != std::errc{} || (digits > 1 && *first == '0')) {
      return wrong("brackets hold *, an index such as 0, or a 'quoted name'");
    }
    at_ += digits;
    path_.steps.push_back({path_step::what::index, {}, index});
    return std::nullopt;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  path path_;
};

}  // namespace

std::size_t path::each_prefix() const noexcept {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].kind == path_step::what::each) {
      return i + 1;
    }
  }
  return 0;
}

result<path> parse_path(std::string_view text) { return path_parser(text).parse(); }

}  // namespace pawl
