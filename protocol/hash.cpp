#include "protocol/hash.hpp"

#include "protocol/invariant.hpp"
#include "protocol/stable_hash.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>

namespace pawl {
namespace {

constexpr std::uint64_t content_mask = (std::uint64_t{1} << 48U) - 1;

struct free_digest {
  void operator()(EVP_MD* digest) const noexcept { EVP_MD_free(digest); }
  void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
};

/// SHA-256 with the fetch and the allocations done once; one per thread.
class sha256 {
 public:
  using bytes = std::array<std::uint8_t, 32>;

  [[nodiscard]] bytes operator()(std::string_view input) {
    bytes out{};
    const bool done = EVP_DigestInit_ex2(context_.get(), digest_.get(), nullptr) == 1 &&
                      EVP_DigestUpdate(context_.get(), input.data(), input.size()) == 1 &&
                      EVP_DigestFinal_ex(context_.get(), out.data(), nullptr) == 1;
    invariant(done, "SHA-256 failed");
    return out;
  }

 private:
  std::unique_ptr<EVP_MD, free_digest> digest_{EVP_MD_fetch(nullptr, "SHA256", nullptr)};
  std::unique_ptr<EVP_MD_CTX, free_digest> context_{EVP_MD_CTX_new()};
};

/// The part behind its length: 8 bytes, lowest first.
void append_prefixed(std::string& out, std::string_view part) {
  auto length = static_cast<std::uint64_t>(part.size());
  std::array<char, sizeof length> prefix{};
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(prefix.data(), &length, sizeof length);
  } else {
    for (char& byte : prefix) {
      byte = static_cast<char>(static_cast<std::uint8_t>(length));
      length >>= 8U;
    }
  }
  out.append(prefix.data(), prefix.size());
  out.append(part);
}

ledger_key key_of(std::initializer_list<std::string_view> parts) {
  thread_local sha256 digest;
  thread_local std::string input;
  input.clear();
  for (const std::string_view part : parts) {
    append_prefixed(input, part);
  }
  const sha256::bytes whole = digest(input);
  ledger_key key;
  std::copy_n(whole.begin(), key.bytes.size(), key.bytes.begin());
  return key;
}

fingerprint combine(std::uint16_t recipe, const stable_hash& content) {
  return {(std::uint64_t{recipe} << 48U) | (content.value() & content_mask)};
}

std::optional<std::uint8_t> hex_digit(char c) {
  if (c >= '0' && c <= '9') {
    return static_cast<std::uint8_t>(c - '0');
  }
  if (c >= 'a' && c <= 'f') {
    return static_cast<std::uint8_t>(c - 'a' + 10);
  }
  return std::nullopt;
}

}  // namespace

ledger_key make_ledger_key(std::string_view consumer, const entity_ref& entity,
                           std::string_view id) {
  return key_of({consumer, entity.type, entity.key, id});
}

ledger_key make_ledger_key(std::string_view consumer, const entity_ref& entity,
                           message_version version) {
  // One part more than an id gives: so the two kinds of keys never meet.
  return key_of({consumer, entity.type, entity.key, "version", std::to_string(version.value)});
}

std::uint16_t hash_recipe(const std::vector<std::string_view>& paths) {
  stable_hash hash;
  for (const std::string_view one : paths) {
    hash.add(one);
  }
  return static_cast<std::uint16_t>(hash.value() >> 48U);
}

fingerprint make_fingerprint(std::uint16_t recipe,
                             const std::vector<std::vector<value>>& elements) {
  stable_hash hash;
  hash.add(elements.size());
  for (const std::vector<value>& fields : elements) {
    hash.add(fields.size());
    for (const value& field : fields) {
      hash.add(static_cast<std::uint64_t>(field.kind()));
      switch (field.kind()) {
        case value_kind::absent:
        case value_kind::null:
          break;
        case value_kind::boolean:
        case value_kind::integer:
          hash.add(static_cast<std::uint64_t>(field.number()));
          break;
        case value_kind::decimal:
        case value_kind::text:
        case value_kind::bytes:
        case value_kind::json:
          hash.add(field.characters());
          break;
      }
    }
  }
  return combine(recipe, hash);
}

fingerprint make_fingerprint(std::uint16_t recipe, std::string_view bytes) {
  stable_hash hash;
  hash.add(bytes);
  return combine(recipe, hash);
}

shard_id shard_of(const entity_ref& entity, std::uint32_t shards) {
  invariant(shards >= 1 && shards <= 65536, "the shard count is out of range");
  stable_hash hash;
  hash.add(entity.type);
  hash.add(entity.key);
  return {static_cast<std::uint32_t>(hash.value() % shards)};
}

std::string to_hex(const ledger_key& key) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(key.bytes.size() * 2);
  for (const std::uint8_t byte : key.bytes) {
    text.push_back(digits[byte >> 4U]);
    text.push_back(digits[byte & 15U]);
  }
  return text;
}

std::optional<ledger_key> ledger_key_from_hex(std::string_view hex) {
  ledger_key key;
  if (hex.size() != key.bytes.size() * 2) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < key.bytes.size(); ++i) {
    const auto high = hex_digit(hex[2 * i]);
    const auto low = hex_digit(hex[2 * i + 1]);
    if (!high || !low) {
      return std::nullopt;
    }
    key.bytes[i] = static_cast<std::uint8_t>(*high << 4U | *low);
  }
  return key;
}

}  // namespace pawl
