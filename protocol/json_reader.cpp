#include "protocol/json_reader.hpp"

#include "protocol/json_walk.hpp"

namespace pawl {

value json_token::to_value() const {
  switch (kind) {
    case value_kind::absent:
      return value::absent();
    case value_kind::null:
      return value::null();
    case value_kind::boolean:
      return value::boolean(number != 0);
    case value_kind::integer:
      return value::integer(number);
    case value_kind::decimal:
      return value::decimal(std::string(text));
    case value_kind::text:
      return value::text(std::string(text));
    case value_kind::bytes:
      return value::bytes(std::string(text));
    case value_kind::json:
      return value::json(std::string(text));
  }
  return value::absent();
}

/// Slots and groups, filled by a walk.
class json_reader::impl : public json_sink {
 public:
  explicit impl(json_plan plan)
      : plan_(std::move(plan)), slots_(plan_.slot_count()), groups_(plan_.group_count()) {}

  status read(std::string_view payload) {
    for (slot& one : slots_) {
      one.single = {};
      one.repeated.clear();
    }
    for (group& one : groups_) {
      one = {};
    }
    return walk_.read(payload, plan_, *this);
  }

  result<std::uint64_t> hash_without_slots(std::string_view payload) {
    return walk_.hash_without_slots(payload, plan_);
  }

  void fill(std::size_t number, const json_token& found) override {
    slot& one = slots_[number];
    const std::size_t group_number = plan_.group_of(number);
    if (group_number == json_plan::none) {
      one.single = found;
      return;
    }
    one.repeated.resize(groups_[group_number].elements);
    one.repeated.back() = found;
  }

  void found_list(std::size_t number, bool is_list) override {
    groups_[number].state = is_list ? json_list::list : json_list::no_list;
  }

  void next_element(std::size_t number) override { ++groups_[number].elements; }

  const json_token& token(std::size_t number) const { return slots_[number].single; }

  const json_token& token(std::size_t number, std::size_t element) const {
    static const json_token nothing;
    const std::vector<json_token>& repeated = slots_[number].repeated;
    return element < repeated.size() ? repeated[element] : nothing;
  }

  json_list list(std::size_t number) const { return groups_[number].state; }
  std::size_t element_count(std::size_t number) const { return groups_[number].elements; }
  const json_plan& plan() const { return plan_; }

 private:
  struct slot {
    json_token single;
    std::vector<json_token> repeated;  // shorter than the list if the last elements lack it
  };
  struct group {
    json_list state = json_list::missing;
    std::size_t elements = 0;
  };

  json_plan plan_;
  json_walk walk_;
  std::vector<slot> slots_;
  std::vector<group> groups_;
};

json_reader::json_reader(json_plan plan) : impl_(std::make_unique<impl>(std::move(plan))) {}
json_reader::json_reader(json_reader&&) noexcept = default;
json_reader& json_reader::operator=(json_reader&&) noexcept = default;
json_reader::~json_reader() = default;

status json_reader::read(std::string_view payload) { return impl_->read(payload); }
const json_token& json_reader::token(std::size_t slot) const { return impl_->token(slot); }
const json_token& json_reader::token(std::size_t slot, std::size_t element) const {
  return impl_->token(slot, element);
}
json_list json_reader::list(std::size_t group) const { return impl_->list(group); }
std::size_t json_reader::element_count(std::size_t group) const {
  return impl_->element_count(group);
}
const json_plan& json_reader::plan() const { return impl_->plan(); }
result<std::uint64_t> json_reader::hash_without_slots(std::string_view payload) {
  return impl_->hash_without_slots(payload);
}

}  // namespace pawl
