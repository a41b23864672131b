#include "runtime/scenario/ground_truth.hpp"

#include <utility>

namespace pawl {

message_ptr as_received(const scenario_message& said, const std::string& source) {
  auto made = std::make_shared<message>();
  made->payload = said.payload;
  made->headers = said.headers;
  made->origin.source = source;
  return made;
}

ground_truth::ground_truth(std::span<const scenario_message> workload, const decoder_config& config,
                           const std::string& source) {
  message_decoder decoder(config);
  pairs_.reserve(workload.size());
  for (std::uint64_t number = 0; number < workload.size(); ++number) {
    for (const addressed_ptr& pair : decoder.decode(as_received(workload[number], source))) {
      pairs_.push_back({number, pair->entity, pair->type, pair->id, pair->contract, pair->version,
                        pair->content, pair->undecodable.has_value()});
    }
  }
  index();
}

ground_truth::ground_truth(std::vector<expected_pair> pairs) : pairs_(std::move(pairs)) { index(); }

void ground_truth::index() {
  for (std::size_t at = 0; at < pairs_.size(); ++at) {
    while (first_of_message_.size() <= pairs_[at].message) {
      first_of_message_.push_back(at);
    }
  }
  first_of_message_.push_back(pairs_.size());
}

const expected_pair* ground_truth::find(std::uint64_t message, const entity_ref& entity) const {
  if (message + 1 >= first_of_message_.size()) {
    return nullptr;
  }
  for (std::size_t at = first_of_message_[message]; at < first_of_message_[message + 1]; ++at) {
    if (pairs_[at].entity == entity || pairs_[at].undecodable) {
      return &pairs_[at];
    }
  }
  return nullptr;
}

}  // namespace pawl
