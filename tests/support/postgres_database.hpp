#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pawl::test {

/// A database of its own on the server that PAWL_TEST_POSTGRES names; dropped at the end. Without
/// that variable every test that makes one fails.
class postgres_database {
 public:
  postgres_database();
  ~postgres_database();
  postgres_database(const postgres_database&) = delete;
  postgres_database& operator=(const postgres_database&) = delete;

  [[nodiscard]] const std::string& url() const { return url_; }
  /// Runs statements behind Pawl's back, each on a connection of its own.
  void execute(std::string_view sql) const;
  /// The first field of the first row as text; `NULL` for NULL, empty for no row.
  [[nodiscard]] std::string ask(std::string_view sql) const;

 private:
  std::string name_;
  std::string url_;
};

}  // namespace pawl::test
