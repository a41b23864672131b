#include "protocol/decode.hpp"

#include "protocol/catalog.hpp"
#include "protocol/decode_plan.hpp"
#include "protocol/decode_read.hpp"
#include "protocol/hash.hpp"
#include "protocol/limits.hpp"
#include "protocol/undecodable.hpp"

#include <unordered_map>
#include <utility>

namespace pawl {
namespace {

using problem = std::optional<error>;
using draft = std::shared_ptr<addressed_message>;

/// Pairs of one contract that are searched one by one; past that a map finds them.
constexpr std::size_t searched_pairs_max = 16;

}  // namespace

class message_decoder::impl {
 public:
  explicit impl(const decoder_config& config)
      : consumer_(config.consumer), plan_(config), reader_(plan_.paths()) {}

  std::vector<addressed_ptr> decode(const message_ptr& received) {
    type_.clear();
    pairs_.clear();
    if (problem wrong = decode_all(received)) {
      pairs_.clear();
      return {undecodable(received, std::move(*wrong))};
    }
    return {std::make_move_iterator(pairs_.begin()), std::make_move_iterator(pairs_.end())};
  }

  addressed_ptr decode_for(const message_ptr& received, const entity_ref& entity) {
    for (addressed_ptr& pair : decode(received)) {
      if (pair->undecodable || pair->entity == entity) {
        return std::move(pair);
      }
    }
    return undecodable(received, {fault::poison, "key",
                                  "the message does not address " + entity.type + " \"" +
                                      entity.key + "\" (any more)"});
  }

 private:
  problem decode_all(const message_ptr& received) {
    if (problem wrong = check_size(*received)) {
      return wrong;
    }
    if (const status read = reader_.read(received->payload); !read) {
      return read.error();
    }
    if (problem wrong = read_type(*received)) {
      return wrong;
    }
    const decode_plan::entity_types* declared = plan_.find(type_);
    if (declared == nullptr) {
      const std::string nearest = nearest_name(type_, plan_.types());
      return error{fault::poison, "type",
                   "nobody declared the type \"" + type_ + "\"" +
                       (nearest.empty() ? "" : "; did they mean \"" + nearest + "\"?")};
    }
    bool fits = false;
    for (const auto& contracts : *declared) {
      if (bound_contract* chosen = choose(contracts, *received)) {
        fits = true;
        if (problem wrong = address(*chosen, received)) {
          return wrong;
        }
      }
    }
    if (!fits) {
      return error{fault::poison, "when",
                   "no `when` of the type \"" + type_ + "\" fits the message"};
    }
    return std::nullopt;
  }

  problem read_type(const message& received) {
    const auto given = received.header_value("type");
    if (given && !given->empty()) {
      type_ = *given;
    } else {
      const json_token token = read_token(plan_.type(), 0, {&reader_, &received, nullptr});
      if (token.kind != value_kind::text && token.kind != value_kind::integer) {
        return error{fault::poison, "type",
                     "the message has no type: neither a header `type` nor text at " +
                         plan_.type().where->source};
      }
      type_ = token.to_value().to_text();
    }
    if (problem wrong = check_text(type_, "type", limits::id_bytes_max)) {
      type_.clear();
      return wrong;
    }
    return std::nullopt;
  }

  bound_contract* choose(const std::vector<std::unique_ptr<bound_contract>>& contracts,
                         const message& received) {
    for (const auto& one : contracts) {
      bool holds = true;
      for (std::size_t i = 0; holds && i < one->when.size(); ++i) {
        const json_token token = read_token(one->when[i], 0, {&reader_, &received, nullptr});
        const bool stands = token.kind != value_kind::absent && token.kind != value_kind::null;
        holds = stands && token.to_value().to_text() == one->contract->when[i].equals;
      }
      if (holds) {
        return one.get();
      }
    }
    return nullptr;
  }

  /// Adds the pairs of one contract.
  problem address(bound_contract& bound, const message_ptr& received) {
    std::size_t elements = 1;
    if (bound.key_group != json_plan::none) {
      if (reader_.list(bound.key_group) != json_list::list) {
        const bool missing = reader_.list(bound.key_group) == json_list::missing;
        return error{fault::poison, "key",
                     "the key `" + bound.contract->key.front().source +
                         "` repeats over a list that is " + (missing ? "missing" : "none")};
      }
      elements = reader_.element_count(bound.key_group);
    }
    const std::size_t first = pairs_.size();
    by_key_.clear();
    for (std::size_t element = 0; element < elements; ++element) {
      if (problem wrong = address_element(bound, received, element, first)) {
        return wrong;
      }
    }
    return finish(bound, first);
  }

  problem address_element(const bound_contract& bound, const message_ptr& received,
                          std::size_t element, std::size_t first) {
    const read_context context{&reader_, received.get(), nullptr};
    if (auto wrong = read_text(bound.key, element, context, key_)) {
      return error{fault::poison, "key", "the key " + std::move(wrong->text)};
    }
    if (problem wrong = check_text(key_, "key", limits::key_bytes_max)) {
      return wrong;
    }
    std::optional<message_version> version;
    if (bound.version) {
      result<message_version> read = read_version(*bound.version, element, context);
      if (!read) {
        return read.error();
      }
      version = *read;
    }
    if (problem wrong = read_id(bound, element, context)) {
      return wrong;
    }
    addressed_message* pair = find(first);
    if (pair == nullptr) {
      if (pairs_.size() == limits::entities_per_message_max) {
        return error{fault::poison, "key",
                     "the message addresses more than " +
                         std::to_string(limits::entities_per_message_max) + " entities"};
      }
      draft made = std::make_shared<addressed_message>();
      made->source = received;
      made->contract = bound.contract;
      made->type = type_;
      made->id = id_;
      made->entity = {bound.contract->entity_type, key_};
      made->version = version;
      pair = made.get();
      remember(std::move(made), first);
    } else if (pair->id != id_ || pair->version != version) {
      return error{fault::poison, "key",
                   "the message names \"" + key_ + "\" twice, with different ids or versions"};
    }
    return read_fields(bound, element, *received, *pair);
  }

  addressed_message* find(std::size_t first) {
    if (by_key_.empty()) {
      for (std::size_t i = first; i < pairs_.size(); ++i) {
        if (pairs_[i]->entity.key == key_) {
          return pairs_[i].get();
        }
      }
      return nullptr;
    }
    const auto found = by_key_.find(key_);
    return found == by_key_.end() ? nullptr : found->second;
  }

  void remember(draft made, std::size_t first) {
    pairs_.push_back(std::move(made));
    if (pairs_.size() - first < searched_pairs_max) {
      return;
    }
    const std::size_t unmapped = by_key_.empty() ? first : pairs_.size() - 1;
    for (std::size_t i = unmapped; i < pairs_.size(); ++i) {
      by_key_.emplace(pairs_[i]->entity.key, pairs_[i].get());
    }
  }

  /// Into `id_`: the declared id, the header, or (where no guard needs one) the coordinates.
  problem read_id(const bound_contract& bound, std::size_t element, const read_context& context) {
    const bool needed = bound.contract->pair.dedupe == dedupe_policy::ledger;
    bool found = false;
    if (!bound.id.empty()) {
      const auto wrong = read_text(bound.id, element, context, id_);
      if (wrong && (needed || !wrong->nothing_there)) {
        return error{fault::poison, "id", "the id " + wrong->text};
      }
      found = !wrong;
    }
    if (!found && !(needed && !bound.id.empty())) {
      const auto given = context.received->header_value("message-id");
      found = given && !given->empty();
      if (!found && needed) {
        return error{fault::poison, "id",
                     "the message has no id, which `dedupe: ledger` needs: no header `message-id`, "
                     "and no `id` is declared"};
      }
      id_ = found ? std::string(*given) : coordinates_of(context.received->origin);
    }
    return found ? check_text(id_, "id", limits::id_bytes_max) : std::nullopt;
  }

  problem read_fields(const bound_contract& bound, std::size_t element, const message& received,
                      addressed_message& pair) {
    const read_context context{&reader_, &received, &pair};
    field_values& values = pair.elements.emplace_back();
    values.reserve(bound.fields.size());
    for (std::size_t i = 0; i < bound.fields.size(); ++i) {
      result<value> read = read_field(bound, i, element, context);
      if (!read) {
        return read.error();
      }
      values.push_back(std::move(*read));
    }
    return std::nullopt;
  }

  /// Gives the new pairs their ledger key and fingerprint.
  problem finish(bound_contract& bound, std::size_t first) {
    std::optional<fingerprint> of_payload;
    for (std::size_t i = first; i < pairs_.size(); ++i) {
      addressed_message& pair = *pairs_[i];
      pair.key = bound.contract->pair.dedupe == dedupe_policy::version
                     ? make_ledger_key(consumer_, pair.entity, *pair.version)
                     : make_ledger_key(consumer_, pair.entity, pair.id);
      if (bound.rest == nullptr) {
        pair.content = of_fields(bound, pair.elements);
        continue;
      }
      if (!of_payload) {
        const auto hash = bound.rest->hash_without_slots(pair.source->payload);
        if (!hash) {
          return hash.error();
        }
        of_payload = make_fingerprint(bound.recipe, std::to_string(*hash));
      }
      pair.content = *of_payload;
    }
    return std::nullopt;
  }

  static fingerprint of_fields(const bound_contract& bound,
                               const std::vector<field_values>& elements) {
    if (bound.fingerprinted.size() == bound.fields.size()) {
      return make_fingerprint(bound.recipe, elements);
    }
    std::vector<field_values> kept(elements.size());
    for (std::size_t i = 0; i < elements.size(); ++i) {
      for (const std::size_t field : bound.fingerprinted) {
        kept[i].push_back(elements[i][field]);
      }
    }
    return make_fingerprint(bound.recipe, kept);
  }

  addressed_ptr undecodable(const message_ptr& received, error why) const {
    return make_undecodable(consumer_, received, type_, std::move(why));
  }

  std::string consumer_;
  decode_plan plan_;
  json_reader reader_;
  std::vector<draft> pairs_;
  std::unordered_map<std::string_view, addressed_message*> by_key_;  // views into `pairs_`
  std::string type_;
  std::string key_;
  std::string id_;
};

message_decoder::message_decoder(decoder_config config) : impl_(std::make_unique<impl>(config)) {}
message_decoder::message_decoder(message_decoder&&) noexcept = default;
message_decoder& message_decoder::operator=(message_decoder&&) noexcept = default;
message_decoder::~message_decoder() = default;

std::vector<addressed_ptr> message_decoder::decode(const message_ptr& received) {
  return impl_->decode(received);
}

addressed_ptr message_decoder::decode_for(const message_ptr& received, const entity_ref& entity) {
  return impl_->decode_for(received, entity);
}

}  // namespace pawl
