#include "runtime/scenario/scenario_options.hpp"

namespace pawl {
namespace {

using type = option_type;

constexpr std::int64_t everything = 1'000'000;  // 100 % in parts per million
constexpr std::int64_t number_max = 1'000'000'000'000;
constexpr std::int64_t messages_max = 100'000'000;

constexpr config_option options[] = {
    {.path = "scenario",
     .type = type::text,
     .text = "Name of the scenario, for the report.",
     .required = true},
    {.path = "seed",
     .type = type::integer,
     .text = "Workload, deliveries and faults follow from it; the same seed gives the same.",
     .fallback = "1",
     .minimum = 0,
     .maximum = INT64_MAX},
    {.path = "node",
     .type = type::text,
     .text = "The node file whose handlers are tested. Its sources are replaced by the broker.",
     .required = true},
    {.path = "setup",
     .type = type::text,
     .text = "SQL script that makes the user's tables, in a fresh store for each consumer."},
    {.path = "broker",
     .type = type::choice,
     .text = "A queue acknowledges each delivery by itself; a log keeps order per partition and "
             "positions. Default: the kind of the declared source.",
     .choices = "queue|log"},
    {.path = "workload",
     .type = type::list,
     .text = "What is sent: generated messages, or the lines of files, interleaved.",
     .required = true},
    {.path = "workload[].generate",
     .type = type::text,
     .text = "A message type of the node file. Field types come from its paths and the catalog."},
    {.path = "workload[].file", .type = type::text, .text = "NDJSON, a message a line."},
    {.path = "workload[].count",
     .type = type::integer,
     .text = "How many messages are generated.",
     .fallback = "1000",
     .minimum = 1,
     .maximum = messages_max},
    {.path = "workload[].entities",
     .type = type::integer,
     .text = "How many entities they are spread over.",
     .fallback = "100",
     .minimum = 1,
     .maximum = messages_max},
    {.path = "workload[].skew",
     .type = type::choice,
     .text = "How often each entity is named; under Zipf's law the second half as often as the "
             "first.",
     .fallback = "uniform",
     .choices = "uniform|zipf"},
    {.path = "workload[].fields",
     .type = type::map,
     .text = "Values of fields by path, where the generator's own choice won't do."},
    {.path = "workload[].fields.*.min",
     .type = type::integer,
     .text = "Least number.",
     .minimum = -number_max,
     .maximum = number_max},
    {.path = "workload[].fields.*.max",
     .type = type::integer,
     .text = "Greatest number.",
     .minimum = -number_max,
     .maximum = number_max},
    {.path = "workload[].fields.*.values", .type = type::list, .text = "One of these texts."},
    {.path = "faults", .type = type::map, .text = "What goes wrong, in message counts."},
    {.path = "faults.duplicate",
     .type = type::percent,
     .text = "Messages that are published twice.",
     .fallback = "0%",
     .maximum = everything},
    {.path = "faults.reorder", .type = type::map, .text = "Messages that are published late."},
    {.path = "faults.reorder.share",
     .type = type::percent,
     .text = "How many of them.",
     .maximum = everything,
     .required = true},
    {.path = "faults.reorder.distance",
     .type = type::integer,
     .text = "By how many messages at most.",
     .minimum = 1,
     .maximum = messages_max,
     .required = true},
    {.path = "faults.lost_ack",
     .type = type::percent,
     .text = "Deliveries whose acknowledgement gets lost: the message comes again. Queues only.",
     .fallback = "0%",
     .maximum = everything},
    {.path = "faults.worker_throws",
     .type = type::percent,
     .text = "Attempts at a message that throw; never so many that it becomes a dead letter.",
     .fallback = "0%",
     .maximum = everything},
    {.path = "faults.crash",
     .type = type::map,
     .text = "The consumer is torn down without flushing and built again over the same store."},
    {.path = "faults.crash.at",
     .type = type::choice,
     .text = "The point of a commit at which it strikes.",
     .choices = "before_fence|after_fence|after_guards|after_effects|before_commit|"
                "after_commit_before_ack|after_ack_before_position",
     .required = true},
    {.path = "faults.crash.every",
     .type = type::integer,
     .text = "Once so many more deliveries are finished.",
     .minimum = 1,
     .maximum = messages_max,
     .required = true},
    {.path = "expect",
     .type = type::list,
     .text = "What must hold: `effects_once`, `order_per_entity`, `nothing_lost`, and queries.",
     .required = true},
    {.path = "expect[].query",
     .type = type::text,
     .text = "A query over the user's tables that answers one number.",
     .required = true},
    {.path = "expect[].equals",
     .type = type::text,
     .text = "A number, or `count()`, `sum($.x)`, `min($.x)`, `max($.x)`, `sum_latest($.x)` over "
             "the distinct messages.",
     .required = true},
    {.path = "expect[].type",
     .type = type::text,
     .text = "Only messages of this type are counted in `equals`."},
    {.path = "compare",
     .type = type::choice,
     .text = "`naive`: the usual hand-written consumer gets the same deliveries, to compare.",
     .choices = "naive"},
};

constexpr std::string_view preface = R"(# A scenario file
Generated from the declarations that the program reads; a test compares them.

A scenario sends seeded messages through the handlers of a node file, lets things go wrong, and
checks what must hold: `pawl run FILE`. The same seed gives the same messages, deliveries and faults
to every consumer that is compared.

* Written as a node file is (docs/config.md): one reading of YAML, paths relative to the file.
* Generated messages have what the handlers read: keys `SKU-1`, `SKU-2` ..., ids that are unique,
  versions that rise from 1 for each entity, values that fit their columns.
* `effects_once`: no message took effect twice for an entity. `order_per_entity`: each entity's
  messages took effect by their order policy. `nothing_lost`: every message took effect, was stale,
  was a repeat, or was set aside. What `dedupe: natural` handles is only checked by queries.
* A query's `equals` is a number or is worked out from the distinct messages: `count()`,
  `sum($.quantity)`, `min($.x)`, `max($.x)`, or `sum_latest($.x)`, which takes of each entity only
  the message with the highest version.
* Each consumer gets a fresh SQLite store. For another database, `--store` names an empty one for
  each, with `{consumer}` where their names should stand.

In the headings `*` is a name that you choose, and `[]` an element of a list.
)";

}  // namespace

option_table scenario_options() { return options; }

std::string scenario_reference() { return std::string(preface) + option_reference(options); }

}  // namespace pawl
