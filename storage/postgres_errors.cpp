#include "storage/postgres_errors.hpp"

#include "storage/postgres_shim.hpp"

#include <new>
#include <string>

namespace pawl {

namespace {

std::string text_of(const std::exception& thrown) {
  std::string text = thrown.what();
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) {
    text.pop_back();
  }
  return text;
}

}  // namespace

fault fault_of_sqlstate(std::string_view sqlstate) {
  if (sqlstate == "40P01" || sqlstate == "55P03" || sqlstate == "57014") {
    return fault::contended;
  }
  if (sqlstate == "25006") {
    return fault::retry;
  }
  const std::string_view group = sqlstate.substr(0, 2);
  for (const std::string_view infrastructure : {"08", "28", "3D", "40", "53", "57", "58"}) {
    if (group == infrastructure) {
      return fault::retry;
    }
  }
  for (const std::string_view wrong : {"42", "0A", "XX"}) {
    if (group == wrong) {
      return fault::deployment;
    }
  }
  for (const std::string_view poisonous : {"21", "22", "23", "44", "54", "P0"}) {
    if (group == poisonous) {
      return fault::poison;
    }
  }
  return fault::unknown;
}

error error_from(const std::exception& thrown, failed_call during) {
  std::string code = pg::sqlstate_of(thrown);
  std::string text = text_of(thrown);
  const bool lost =
      !during.connected || dynamic_cast<const pqxx::broken_connection*>(&thrown) != nullptr;
  const bool doubtful =
      lost || code == "40003" || dynamic_cast<const pqxx::in_doubt_error*>(&thrown) != nullptr;
  if (doubtful && during.committing) {
    return {fault::in_doubt, std::move(code), std::move(text)};
  }
  if (doubtful || dynamic_cast<const std::bad_alloc*>(&thrown) != nullptr) {
    return {fault::retry, code.empty() ? "connection" : std::move(code), std::move(text)};
  }
  if (code.empty()) {
    // libpqxx refuses how we use it: no message is to blame, and trying again changes nothing.
    return {fault::deployment, "driver", std::move(text)};
  }
  const fault kind = fault_of_sqlstate(code);
  return {kind, std::move(code), std::move(text)};
}

}  // namespace pawl
