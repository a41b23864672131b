#pragma once

// Catch2 2.13 and 3 name their headers differently, and RapidCheck's own Catch glue knows only 2.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif

#include <rapidcheck.h>

#include <sstream>
#include <string>
#include <utility>

/// A RapidCheck property as a section of the test case it stands in. `testable` takes generated
/// arguments and checks with RC_ASSERT, never with CHECK; parenthesize a compound condition,
/// `RC_ASSERT((a || b))`, since the macro would otherwise evaluate both sides. A failure shows the
/// shrunk counterexample; the seed that RapidCheck prints first replays it: RC_PARAMS="seed=N".
/// `percent` of the usual number of cases are tried, for what is slow.
template <class Testable>
void property(const std::string& name, Testable&& testable, int percent = 100) {
  DYNAMIC_SECTION(name) {
    auto params = rc::detail::configuration().testParams;
    params.maxSuccess = params.maxSuccess * percent / 100;
    const auto outcome = rc::detail::checkTestable(std::forward<Testable>(testable),
                                                   rc::detail::TestMetadata(), params);
    std::ostringstream text;
    rc::detail::printResultMessage(outcome, text);
    INFO(text.str());
    REQUIRE(outcome.template is<rc::detail::SuccessResult>());
  }
}
