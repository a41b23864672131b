#pragma once

#include <pqxx/pqxx>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Everything that differs between libpqxx 6.4 and 7, and reading results without its conversions,
/// which throw.
namespace pawl::pg {

/// Parameters of a statement, all as text and none NULL: sets of values travel as array literals.
using parameters = std::vector<std::string>;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

inline pqxx::result exec_prepared(pqxx::nontransaction& direct, const std::string& name,
                                  const parameters& given) {
#if PQXX_VERSION_MAJOR >= 7
  pqxx::params packed;
  packed.reserve(given.size());
  for (const std::string& text : given) {
    packed.append(text);
  }
  return direct.exec_prepared(name, packed);
#else
  return direct.exec_prepared(name, pqxx::prepare::make_dynamic_params(given));
#endif
}

/// libpqxx 6 reconnects by itself and loses the session's settings; 7 does not.
inline void forbid_silent_reconnect([[maybe_unused]] pqxx::connection& connection) {
#if PQXX_VERSION_MAJOR < 7
  connection.inhibit_reactivation(true);
#endif
}

#pragma GCC diagnostic pop

/// The SQLSTATE of an error, or empty. In 6.4 two classes to be retried carry no code.
inline std::string sqlstate_of(const std::exception& thrown) {
  if (const auto* sql = dynamic_cast<const pqxx::sql_error*>(&thrown);
      sql != nullptr && !std::string_view(sql->sqlstate()).empty()) {
    return std::string(sql->sqlstate());
  }
  if (dynamic_cast<const pqxx::serialization_failure*>(&thrown) != nullptr) {
    return "40001";
  }
  if (dynamic_cast<const pqxx::deadlock_detected*>(&thrown) != nullptr) {
    return "40P01";
  }
  if (dynamic_cast<const pqxx::statement_completion_unknown*>(&thrown) != nullptr) {
    return "40003";
  }
  if (dynamic_cast<const pqxx::transaction_rollback*>(&thrown) != nullptr) {
    return "40000";
  }
  return {};
}

inline std::size_t row_count(const pqxx::result& rows) {
  return static_cast<std::size_t>(rows.size());
}

inline std::size_t affected(const pqxx::result& rows) {
  return static_cast<std::size_t>(rows.affected_rows());
}

/// One field of a result, by numbers of row and column.
class cell {
 public:
  cell(const pqxx::result& rows, std::size_t row, std::size_t column)
      : field_(rows[static_cast<pqxx::result::size_type>(row)]
                   [static_cast<pqxx::row::size_type>(column)]) {}

  [[nodiscard]] bool is_null() const { return field_.is_null(); }
  [[nodiscard]] std::string_view view() const {
    return {field_.c_str(), static_cast<std::size_t>(field_.size())};
  }
  [[nodiscard]] std::string text() const { return std::string(view()); }
  /// 0 for NULL.
  [[nodiscard]] std::int64_t number() const {
    std::int64_t parsed = 0;
    const std::string_view digits = view();
    std::from_chars(digits.data(), digits.data() + digits.size(), parsed);
    return parsed;
  }
  [[nodiscard]] bool truth() const { return view() == "t"; }

 private:
  pqxx::field field_;
};

}  // namespace pawl::pg
