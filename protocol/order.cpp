#include "protocol/order.hpp"

#include "protocol/invariant.hpp"

namespace pawl {

order_verdict decide_order(order_policy order, sequence_start start, const version_state& entity,
                           message_version incoming, fingerprint content) {
  invariant(order != order_policy::arrival, "an order without versions was asked to compare them");
  if (!entity.current) {
    if (order == order_policy::latest || start == sequence_start::first || incoming.value == 1) {
      return order_verdict::apply;
    }
    return incoming.value < 1 ? order_verdict::stale : order_verdict::gap;
  }
  if (incoming < *entity.current) {
    return order_verdict::stale;
  }
  if (incoming == *entity.current) {
    return contradict(entity.content, content) ? order_verdict::conflict : order_verdict::duplicate;
  }
  if (order == order_policy::latest || incoming.value == entity.current->value + 1) {
    return order_verdict::apply;
  }
  return order_verdict::gap;
}

}  // namespace pawl
