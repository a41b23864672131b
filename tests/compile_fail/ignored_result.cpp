// error: ignoring returned value|ignoring return value
#include "protocol/result.hpp"

namespace pawl {

result<int> parse();

int checked() {
  auto parsed = parse();
  return parsed ? *parsed : 0;
}

#ifdef SHOULD_FAIL
void careless() { parse(); }
#endif

}  // namespace pawl
