#pragma once

#include "runtime/scenario/evidence.hpp"
#include "runtime/scenario/ground_truth.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace pawl {

/// A checker's answer: yes, or no with the first counterexamples in words.
struct check_answer {
  bool holds = true;
  std::string expected;
  std::string got;
  std::vector<std::string> counterexamples;  ///< `counterexamples_max` at most
  std::string note;                          ///< what was not checked, and why
};

inline constexpr std::size_t counterexamples_max = 5;

/// Decides one promise from the evidence. Stateless.
class checker {
 public:
  virtual ~checker() = default;
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  [[nodiscard]] virtual check_answer check(const ground_truth& truth,
                                           const evidence& found) const = 0;
};

/// No (entity, message) pair took effect twice, and none that was never sent.
class effects_once : public checker {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "effects_once"; }
  [[nodiscard]] check_answer check(const ground_truth& truth, const evidence& found) const override;
};

/// Each entity's messages took effect by their order policy: `latest` with rising versions,
/// `sequence` one by one, `arrival` in the order of first receipt within one run.
class order_per_entity : public checker {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "order_per_entity"; }
  [[nodiscard]] check_answer check(const ground_truth& truth, const evidence& found) const override;
};

/// Every distinct pair has exactly one final outcome that can be pointed at: it took effect, was
/// stale against a higher stored version, repeats a pair that took effect, or was set aside.
class nothing_lost : public checker {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "nothing_lost"; }
  [[nodiscard]] check_answer check(const ground_truth& truth, const evidence& found) const override;
};

}  // namespace pawl
