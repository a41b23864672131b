// error: no matching function for call to .*make_handler<.*>
#include "runtime/handlers.hpp"

namespace pawl {

auto plain() {
  return make_handler<policies::ledger>(
      {.type = "Placed", .entity = "sku", .key = {"$.sku"}},
      [](const addressed_message&, effects<policies::ledger>&) {});
}

#ifdef SHOULD_FAIL
auto counting() {
  return make_handler<policies::ledger>(
      {.type = "Placed", .entity = "sku", .key = {"$.sku"}},
      [seen = 0](const addressed_message&, effects<policies::ledger>&) mutable { ++seen; });
}
#endif

}  // namespace pawl
