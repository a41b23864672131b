// error: no matching function for call to .*make_handler<.*>
#include "runtime/handlers.hpp"

namespace pawl {

using state = const std::optional<std::string>&;

auto remembers() {
  return make_handler<policies::ledger>(
      {.type = "Placed", .entity = "sku", .key = {"$.sku"}},
      [](const addressed_message&, state, effects<policies::ledger>& out) { out.state("seen"); });
}

#ifdef SHOULD_FAIL
auto forgets() {
  return make_handler<policies::natural>(
      {.type = "Placed", .entity = "sku", .key = {"$.sku"}},
      [](const addressed_message&, state, effects<policies::natural>&) {});
}
#endif

}  // namespace pawl
