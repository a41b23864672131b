#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pawl_test {

/// The text of a file that tools/fetch_test_data.sh fetched into the folder that PAWL_TEST_DATA
/// names. Without it every test that asks fails.
[[nodiscard]] std::string real_data(const std::string& file);

/// A message for each flight, all its fields and its row's number in the file, from 0.
[[nodiscard]] std::vector<std::string> flight_messages(const std::string& flights_json);

/// A message for each quote, with the date as an integer besides: `Feb 1 2004` is 20040201.
[[nodiscard]] std::vector<std::string> quote_messages(const std::string& stocks_csv);

/// The rows of the file as a JSON array of arrays of text, for a database to read.
[[nodiscard]] std::string quote_rows(const std::string& stocks_csv);

/// Every message twice, in an order that the seed decides, a line each.
[[nodiscard]] std::string doubled_and_shuffled(std::vector<std::string> messages,
                                               std::uint64_t seed);

}  // namespace pawl_test
