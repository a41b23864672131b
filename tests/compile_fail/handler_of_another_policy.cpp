// error: no matching function for call to .*make_handler<.*>
#include "runtime/handlers.hpp"

namespace pawl {

void count(const addressed_message& message, effects<policies::ledger>& out) {
  out.add("stock", {{"sku", message.entity.key}}, {{"reserved", 1}});
}

auto under_its_policy() {
  return make_handler<policies::ledger>({.type = "Placed", .entity = "sku", .key = {"$.sku"}},
                                        count);
}

#ifdef SHOULD_FAIL
auto under_another() {
  return make_handler<policies::natural>({.type = "Placed", .entity = "sku", .key = {"$.sku"}},
                                         count);
}
#endif

}  // namespace pawl
