#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pawl {

/// How an option is written.
enum class option_type : std::uint8_t {
  text,
  integer,
  boolean,
  duration,  ///< `500ms`, `10s`, `5m`, `2h`, `7d`; counted in milliseconds
  bytes,     ///< `65536`, `64KiB`, `16MiB`
  percent,   ///< `0.1%`; counted in parts per million
  choice,    ///< one of the named
  path,      ///< a place in a message: `$.a.b`
  list,
  map
};

/// One option of a configuration file, declared once: it is read, checked and documented from here.
struct config_option {
  /// Names with dots between them; `*` for a name that the author chooses, `[]` for list elements.
  std::string_view path;
  option_type type = option_type::text;
  std::string_view text;           ///< one or two sentences, for a person
  std::string_view fallback = {};  ///< the default as one would write it; empty: there is none
  std::int64_t minimum = 0;        ///< of integer, duration (ms), bytes and percent, inclusive
  std::int64_t maximum = 0;
  std::string_view choices = {};  ///< of a choice: `auto|manual`
  bool required = false;
  bool not_yet = false;  ///< known and refused: `text` says what to use until then
};

using option_table = std::span<const config_option>;

/// The last name of an option's path.
[[nodiscard]] std::string_view name_of(const config_option& option);

/// The option at `prefix.name` (or `name`), or null.
[[nodiscard]] const config_option* find_option(option_table table, std::string_view prefix,
                                               std::string_view name);

/// Names of the options directly below `prefix`, in the table's order.
[[nodiscard]] std::vector<std::string> option_names(option_table table, std::string_view prefix);

/// The choices of a choice.
[[nodiscard]] std::vector<std::string> choices_of(const config_option& option);

/// A number as the option is written: `10s`, `64KiB`, `2%`, `5`.
[[nodiscard]] std::string format_number(option_type type, std::int64_t number);

/// The reference as Markdown: a table for each section of options.
[[nodiscard]] std::string option_reference(option_table table);

}  // namespace pawl
