#include "tests/support/real_data.hpp"

#include "runtime/scenario/seeded_random.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace pawl_test {
namespace {

struct quote {
  std::string symbol;
  std::string day;    // `Feb 1 2004`
  std::string price;  // as it is written there
};

std::vector<quote> read_quotes(const std::string& stocks_csv) {
  std::istringstream lines(stocks_csv);
  std::string line;
  if (!std::getline(lines, line) || line != "symbol,date,price") {
    throw std::runtime_error("stocks.csv has other columns than before: " + line);
  }
  std::vector<quote> quotes;
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    quote& read = quotes.emplace_back();
    std::getline(fields, read.symbol, ',');
    std::getline(fields, read.day, ',');
    std::getline(fields, read.price);
  }
  return quotes;
}

int date_number(const std::string& day) {
  constexpr std::string_view months = "JanFebMarAprMayJunJulAugSepOctNovDec";
  std::istringstream words(day);
  std::string month;
  int day_of_month = 0;
  int year = 0;
  if (!(words >> month >> day_of_month >> year)) {
    throw std::runtime_error("not a date: " + day);
  }
  return year * 10'000 + (static_cast<int>(months.find(month)) / 3 + 1) * 100 + day_of_month;
}

}  // namespace

std::string real_data(const std::string& file) {
  const char* folder = std::getenv("PAWL_TEST_DATA");
  if (folder == nullptr || *folder == '\0') {
    throw std::runtime_error(
        "PAWL_TEST_DATA is not set: run the tests through tools/test.sh, or set it to what "
        "tools/fetch_test_data.sh prints");
  }
  const std::string path = std::string(folder) + "/" + file;
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    throw std::runtime_error(path + " can't be read: tools/fetch_test_data.sh fetches it");
  }
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> flight_messages(const std::string& flights_json) {
  std::vector<std::string> messages;
  for (auto& flight : nlohmann::json::parse(flights_json)) {
    flight["type"] = "Flight";
    flight["row"] = messages.size();
    messages.push_back(flight.dump());
  }
  return messages;
}

std::vector<std::string> quote_messages(const std::string& stocks_csv) {
  std::vector<std::string> messages;
  for (const quote& read : read_quotes(stocks_csv)) {
    messages.push_back(
        fmt::format(R"({{"type":"Quote","symbol":"{}","day":"{}","date":{},"price":{}}})",
                    read.symbol, read.day, date_number(read.day), read.price));
  }
  return messages;
}

std::string quote_rows(const std::string& stocks_csv) {
  auto rows = nlohmann::json::array();
  for (const quote& read : read_quotes(stocks_csv)) {
    rows.push_back(std::array{read.symbol, read.day, read.price});
  }
  return rows.dump();
}

std::string doubled_and_shuffled(std::vector<std::string> messages, std::uint64_t seed) {
  const std::size_t once = messages.size();
  for (std::size_t i = 0; i < once; ++i) {
    messages.push_back(messages[i]);
  }
  pawl::seeded_random random(seed, "deliveries");
  for (std::size_t i = messages.size(); i > 1; --i) {
    std::swap(messages[i - 1], messages[random.below(i)]);
  }
  std::string lines;
  for (const std::string& message : messages) {
    lines += message + "\n";
  }
  return lines;
}

}  // namespace pawl_test
