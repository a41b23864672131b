#include "storage/memory_store.hpp"
#include "storage/postgres_store.hpp"
#include "storage/sqlite_store.hpp"
#include "storage/store.hpp"

#include <string_view>

namespace pawl {
namespace {

constexpr std::string_view sqlite_scheme = "sqlite:";

bool is_postgres(std::string_view url) {
  if (url.starts_with("postgresql://") || url.starts_with("postgres://")) {
    return true;
  }
  // A libpq connection string: `key=value` pairs, the first key without a colon in it.
  const auto equals = url.find('=');
  return equals != std::string_view::npos && url.find(':') > equals;
}

/// Only the part that can't hold a password.
std::string_view scheme_of(std::string_view url) { return url.substr(0, url.find(':')); }

}  // namespace

result<std::unique_ptr<store>> open_store(const std::string& url) {
  if (is_postgres(url)) {
    return open_postgres_store(url);
  }
  if (url.starts_with(sqlite_scheme)) {
    return open_sqlite_store(url.substr(sqlite_scheme.size()));
  }
  if (url == "memory:") {
    return open_memory_store();
  }
  const std::string given =
      url.find(':') == std::string::npos
          ? "the store's URL names no kind"
          : "there is no store of kind `" + std::string(scheme_of(url)) + ":`";
  return error{fault::refused, "url",
               given + ": write `postgresql://...`, `sqlite:FILE` or `memory:`"};
}

}  // namespace pawl
