#include "runtime/scenario/message_generator.hpp"

#include "runtime/scenario/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace pawl {
namespace {

constexpr std::array<std::string_view, 12> words{"amber", "birch",   "cedar", "delta",
                                                 "ember", "flint",   "grove", "heron",
                                                 "ivory", "juniper", "kelp",  "larch"};
// Several entities of one message: enough to meet the cases of one, two, and one named twice.
constexpr std::uint64_t elements_max = 3;

std::string make_uuid(std::uint64_t high, std::uint64_t low) {
  return fmt::format("{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}", high >> 32U, (high >> 16U) & 0xffffU,
                     high & 0xfffU, low >> 52U, low & 0xffffffffffffU);
}

/// A name made of a prefix and a number, in the type of the column that it goes to.
value numbered(const planned_field& field, std::uint64_t number) {
  switch (field.type) {
    case column_type::integer:
    case column_type::decimal:
    case column_type::real:
      return value::integer(static_cast<std::int64_t>(number));
    case column_type::uuid:
      return value::text(make_uuid(mix(number, 1, 0), number));
    default:
      return value::text(fmt::format("{}-{}", field.prefix, number));
  }
}

}  // namespace

message_generator::message_generator(const workload_config& workload,
                                     const declared_message& declared,
                                     std::vector<planned_field> fields, seeded_random& random,
                                     version_counters& versions)
    : workload_(workload),
      contract_(declared.contract),
      fields_(std::move(fields)),
      random_(random),
      versions_(versions) {
  if (workload.skew == entity_skew::zipf) {
    zipf_.emplace(static_cast<std::size_t>(workload.entities));
  }
  for (const path& part : contract_.key) {
    repeats_ = repeats_ || part.each_prefix() > 0;
  }
}

std::uint64_t message_generator::pick_entity() {
  return 1 + (zipf_ ? zipf_->pick(random_) : random_.below(workload_.entities));
}

scenario_message message_generator::make(std::uint64_t number) {
  std::vector<std::uint64_t> entities{pick_entity()};
  while (repeats_ && entities.size() < elements_max && random_.chance(0.5)) {
    entities.push_back(pick_entity());
  }
  std::int64_t version = 0;
  if (contract_.version) {
    for (const std::uint64_t one : entities) {
      version = std::max(version, versions_[{contract_.entity_type, one}]);
    }
    ++version;
    for (const std::uint64_t one : entities) {
      versions_[{contract_.entity_type, one}] = version;
    }
  }

  scenario_message made;
  made.type = workload_.type;
  made.partition_key = fmt::format("{}/{}", contract_.entity_type, entities.front());
  made.headers.push_back({"type", workload_.type});
  made.headers.push_back({std::string(scenario_number_header), fmt::format("{}", number)});
  if (contract_.id.empty()) {
    made.headers.push_back({"message-id", fmt::format("{}-{}", workload_.type, number)});
  }
  json_tree payload;
  for (const planned_field& field : fields_) {
    const std::size_t repeated = field.where.each_prefix() > 0 ? entities.size() : 1;
    for (std::size_t element = 0; element < repeated; ++element) {
      const value made_value = make_value(field, entities[element], version, number);
      if (field.where.root == path_root::header) {
        made.headers.push_back({field.where.steps.front().name, made_value.to_text()});
      } else if (field.where.root == path_root::payload) {
        payload.set(field.where.steps, element, made_value);
      }
    }
  }
  made.payload = payload.text();
  return made;
}

value message_generator::make_value(const planned_field& field, std::uint64_t entity,
                                    std::int64_t version, std::uint64_t number) {
  switch (field.role) {
    case field_role::constant:
      return value::text(field.constant);
    case field_role::key:
      return numbered(field, entity);
    case field_role::version:
      return value::integer(version);
    case field_role::unique:
      return numbered(field, number);
    case field_role::plain:
      break;
  }
  return make_plain(field);
}

value message_generator::make_plain(const planned_field& field) {
  const field_hint& hint = field.hint;
  if (!hint.choices.empty()) {
    return hint.choices[random_.below(hint.choices.size())];
  }
  const auto number = [&](std::int64_t low, std::int64_t high) {
    return random_.between(hint.low.value_or(low),
                           hint.high.value_or(std::max(high, hint.low.value_or(low))));
  };
  switch (field.type) {
    case column_type::integer:
      return value::integer(number(1, 10));
    case column_type::decimal:
    case column_type::real: {
      const std::int64_t whole = number(1, 1000);
      if (field.scale == 0) {
        return value::integer(whole);
      }
      const int digits = std::min(field.scale, 2);
      return value::decimal(
          fmt::format("{}.{:0{}}", whole, random_.below(digits == 1 ? 10 : 100), digits));
    }
    case column_type::boolean:
      return value::boolean(random_.chance(0.5));
    case column_type::uuid: {
      const std::uint64_t high = random_.next();
      return value::text(make_uuid(high, random_.next()));
    }
    case column_type::json:
      return value::json(fmt::format("{{\"n\":{}}}", number(1, 10)));
    case column_type::other:
      if (field.sql_type.starts_with("timestamp") || field.sql_type == "date") {
        return value::text(fmt::format("2024-{:02}-{:02}{}", random_.between(1, 12),
                                       random_.between(1, 28),
                                       field.sql_type == "date" ? "" : "T12:00:00Z"));
      }
      break;
    case column_type::text:
    case column_type::bytes:
      break;
  }
  if (hint.low || hint.high) {
    return value::integer(number(1, 10));
  }
  return value::text(std::string(words[random_.below(words.size())]));
}

}  // namespace pawl
