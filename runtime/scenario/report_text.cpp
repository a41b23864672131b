#include "runtime/scenario/scenario_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace pawl {

bool consumer_report::passed() const {
  return std::all_of(results.begin(), results.end(),
                     [](const expectation_result& one) { return one.answer.holds; });
}

bool scenario_report::passed() const { return !consumers.empty() && consumers.front().passed(); }

namespace {

constexpr std::size_t name_width_max = 46;

/// `12345` as `12,345`; anything but digits as it is.
std::string grouped(std::string text) {
  const std::size_t sign = text.starts_with('-') ? 1 : 0;
  const bool digits =
      text.size() > sign && std::all_of(text.begin() + static_cast<long>(sign), text.end(),
                                        [](unsigned char c) { return c >= '0' && c <= '9'; });
  for (std::size_t at = text.size(); digits && at > sign + 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

std::string grouped(std::uint64_t number) { return grouped(std::to_string(number)); }

std::string shortened(const std::string& text) {
  return text.size() <= name_width_max ? text : text.substr(0, name_width_max - 3) + "...";
}

/// Lays out and colours the parts of the report.
class text_report {
 public:
  text_report(const scenario_report& report, bool colours) : report_(report), colours_(colours) {}

  std::string render() {
    title();
    numbers();
    expectations();
    counterexamples();
    verdict();
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string colour(const std::string& text, bool good) const {
    return colours_ ? fmt::format("\x1b[{}m{}\x1b[0m", good ? "32" : "1;31", text) : text;
  }

  void title() {
    out_ += fmt::format(
        "\n{}\n{} distinct messages, {} published ({} of them twice), {} on {}, "
        "seed {}\n",
        report_.name, grouped(report_.messages), grouped(report_.messages + report_.duplicates),
        grouped(report_.duplicates), report_.broker, report_.store, report_.seed);
  }

  void row(const std::string& name, const std::vector<std::string>& cells) {
    out_ += fmt::format("  {:<24}", name);
    for (const std::string& cell : cells) {
      out_ += fmt::format("{:>14}", cell);
    }
    out_ += '\n';
  }

  template <class Read>
  void count(const std::string& name, Read read) {
    std::vector<std::string> cells;
    bool any = false;
    for (const consumer_report& one : report_.consumers) {
      const std::uint64_t number = read(one);
      any = any || number > 0;
      cells.push_back(grouped(number));
    }
    if (any) {
      row(name, cells);
    }
  }

  void numbers() {
    out_ += '\n';
    std::vector<std::string> names;
    std::vector<std::string> seconds;
    for (const consumer_report& one : report_.consumers) {
      names.push_back(one.name);
      seconds.push_back(fmt::format("{:.1f}", one.seconds));
    }
    row("", names);
    using report = consumer_report;
    count("deliveries", [](const report& one) { return one.broker.deliveries; });
    count("  of them again", [](const report& one) { return one.broker.redeliveries; });
    count("crashes", [](const report& one) { return one.crashes; });
    count("lost acknowledgements", [](const report& one) { return one.broker.lost_acks; });
    count("attempts that threw", [](const report& one) { return one.threw; });
    count("messages took effect", [](const report& one) { return one.effects; });
    for (const outcome which : all_outcomes) {
      if (which != outcome::applied) {
        count(fmt::format("  {}", name_of(which)),
              [which](const report& one) { return one.outcomes[static_cast<std::size_t>(which)]; });
      }
    }
    count("  unique violations", [](const report& one) { return one.swallowed; });
    row("seconds", seconds);
  }

  void expectations() {
    out_ += '\n';
    const consumer_report& ours = report_.consumers.front();
    std::size_t width = 0;
    std::size_t expected_width = 8;
    for (const expectation_result& one : ours.results) {
      width = std::max(width, shortened(one.name).size());
      expected_width = std::max(expected_width, grouped(one.answer.expected).size());
    }
    out_ += fmt::format("  {:<{}}  {:<{}}", "expectation", width, "expected", expected_width);
    for (const consumer_report& one : report_.consumers) {
      out_ += fmt::format("  {:<28}", one.name);
    }
    out_ += '\n';
    for (std::size_t at = 0; at < ours.results.size(); ++at) {
      const expectation_result& first = ours.results[at];
      out_ += fmt::format("  {:<{}}  {:<{}}", shortened(first.name), width,
                          grouped(first.answer.expected), expected_width);
      for (const consumer_report& one : report_.consumers) {
        const check_answer& answer = one.results[at].answer;
        out_ += "  " + colour(answer.holds ? "PASS" : "FAIL", answer.holds) +
                fmt::format(" {:<23}", grouped(answer.got));
      }
      out_ += '\n';
    }
  }

  void counterexamples() {
    for (const consumer_report& consumer : report_.consumers) {
      const bool ours = &consumer == &report_.consumers.front();
      for (const expectation_result& one : consumer.results) {
        const auto& found = one.answer.counterexamples;
        // Of the others one is enough to show what kind of damage it is.
        const std::size_t shown = ours ? found.size() : std::min<std::size_t>(found.size(), 1);
        for (std::size_t at = 0; at < shown; ++at) {
          out_ += fmt::format("{}  {}: {}\n", at == 0 ? "\n" : "",
                              fmt::format("{}, {}", consumer.name, shortened(one.name)), found[at]);
        }
      }
    }
    for (const expectation_result& one : report_.consumers.front().results) {
      if (!one.answer.note.empty()) {
        out_ += fmt::format("\n  {}: {}\n", one.name, one.answer.note);
      }
    }
  }

  void verdict() {
    out_ += '\n';
    if (report_.passed()) {
      out_ += colour("PASSED", true) + ": every expectation held.\n";
      return;
    }
    out_ += colour("FAILED", false) +
            fmt::format(" with seed {}. The same again: pawl run {} --seed {}\n", report_.seed,
                        report_.file, report_.seed);
  }

  const scenario_report& report_;
  bool colours_;
  std::string out_;
};

}  // namespace

std::string report_text(const scenario_report& report, bool colours) {
  return text_report(report, colours).render();
}

}  // namespace pawl
