// error: no matching function for call to .*effects<.*>::add
#include "protocol/effects.hpp"

void handle(pawl::effects<pawl::policies::natural>& out) {
  out.set("inventory", {{"sku", "A-1"}}, {{"reserved", 1}});
#ifdef SHOULD_FAIL
  out.add("inventory", {{"sku", "A-1"}}, {{"reserved", 1}});
#endif
}
