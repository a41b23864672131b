// error: no match for .operator==.|invalid operands
#include "protocol/ids.hpp"

namespace pawl {

bool same_shard(shard_id left, shard_id right) { return left == right; }

#ifdef SHOULD_FAIL
bool mixed_up(shard_id shard, node_number node) { return shard == node; }
#endif

}  // namespace pawl
