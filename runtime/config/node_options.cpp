#include "runtime/config/node_options.hpp"

#include <array>

namespace pawl {
namespace {

using type = option_type;

constexpr std::int64_t second = 1000;
constexpr std::int64_t minute = 60 * second;
constexpr std::int64_t hour = 60 * minute;
constexpr std::int64_t day = 24 * hour;
constexpr std::int64_t mebibyte = 1 << 20;

constexpr config_option options[] = {
    {.path = "consumer",
     .type = type::text,
     .text =
         "Name of this consumer: the scope of its ledger, entities and positions. Two consumers "
         "may share a database.",
     .required = true},
    {.path = "node", .type = type::map, .text = "This process among others of the consumer."},
    {.path = "store",
     .type = type::map,
     .text = "The database of the effects: its URL, or a map.",
     .required = true},
    {.path = "sources",
     .type = type::map,
     .text = "Where messages come from, by name.",
     .required = true},
    {.path = "defaults", .type = type::map, .text = "What holds for all messages."},
    {.path = "entities",
     .type = type::map,
     .text = "Entity types by name, each with the messages that address it.",
     .required = true},
    {.path = "ledger", .type = type::map, .text = "The table of processed messages."},
    {.path = "shards",
     .type = type::integer,
     .text = "Slices that the entities are dealt into. Fixed at the consumer's first start.",
     .fallback = "64",
     .minimum = 1,
     .maximum = 4096},
    {.path = "committers",
     .type = type::integer,
     .text = "Sessions that commit. 0: two on PostgreSQL, one on SQLite, which has one writer.",
     .fallback = "0",
     .minimum = 0,
     .maximum = 64},
    {.path = "credits",
     .type = type::map,
     .text = "What may be polled, queued and in flight at a time: bounds the memory."},
    {.path = "batch", .type = type::map, .text = "Size of a commit."},
    {.path = "handlers", .type = type::map, .text = "Threads of the handlers."},
    {.path = "lease",
     .type = type::duration,
     .text = "How long a node may go unheard before others take its shards. All time-outs of a "
             "commit are below it.",
     .fallback = "15s",
     .minimum = 3 * second,
     .maximum = 10 * minute},
    {.path = "drain", .type = type::map, .text = "The orderly stop."},
    {.path = "passivate", .type = type::map, .text = "Dropping idle entities from memory."},

    {.path = "node.name",
     .type = type::text,
     .text = "Name of the node, the same after a restart. The host's name if left out."},

    {.path = "store.url",
     .type = type::text,
     .text = "`sqlite:FILE`, `postgresql://...`, or a libpq connection string.",
     .required = true},
    {.path = "store.migrate",
     .type = type::choice,
     .text = "Whether Pawl's tables are made and brought up to date at start, or only by `pawl "
             "migrate`. `auto` is the default on SQLite, `manual` elsewhere.",
     .choices = "auto|manual"},

    {.path = "sources.*.file",
     .type = type::text,
     .text = "A file of JSON, a message a line. Its position is kept in the store."},
    {.path = "sources.*.stdin",
     .type = type::boolean,
     .text = "Reads JSON, a message a line, from standard input; no position is kept."},
    {.path = "sources.*.type",
     .type = type::path,
     .text = "Where a message says its type, if it has no header `type`.",
     .fallback = "$.type"},
    {.path = "sources.*.ignore",
     .type = type::list,
     .text = "Types that are dropped. Others that nobody declared become dead letters."},
    {.path = "sources.*.kafka",
     .type = type::map,
     .text = "use `file` or `stdin`",
     .not_yet = true},
    {.path = "sources.*.rabbitmq",
     .type = type::map,
     .text = "use `file` or `stdin`",
     .not_yet = true},
    {.path = "sources.*.format",
     .type = type::text,
     .text = "messages are JSON; leave it out",
     .not_yet = true},

    {.path = "defaults.retry", .type = type::map, .text = "What happens to a message that fails."},
    {.path = "defaults.on_dead",
     .type = type::choice,
     .text =
         "What a dead letter does to later messages of its entity: `park` keeps them behind it, "
         "in order; `skip` lets them pass.",
     .fallback = "park",
     .choices = "park|skip"},

    {.path = "defaults.retry.attempts",
     .type = type::integer,
     .text = "Attempts of one message; then it is a dead letter. Trouble of the database's never "
             "counts.",
     .fallback = "5",
     .minimum = 1,
     .maximum = 1000},
    {.path = "defaults.retry.backoff",
     .type = type::duration,
     .text = "Pause before the second attempt; it doubles each time.",
     .fallback = "100ms",
     .minimum = 1,
     .maximum = hour},
    {.path = "defaults.retry.backoff_max",
     .type = type::duration,
     .text = "The longest pause.",
     .fallback = "10s",
     .minimum = 1,
     .maximum = day},

    {.path = "entities.*.on_dead",
     .type = type::choice,
     .text = "As in `defaults`, for this entity type.",
     .choices = "park|skip"},
    {.path = "entities.*.messages",
     .type = type::map,
     .text = "Message types by name, each with its policies and effects.",
     .required = true},

    {.path = "entities.*.messages.*.type",
     .type = type::text,
     .text = "The message's type, if it is not the name: two declarations of one type need two "
             "names, and `when`."},
    {.path = "entities.*.messages.*.when",
     .type = type::map,
     .text = "Paths and the texts found there: this declaration is for messages that fit all."},
    {.path = "entities.*.messages.*.key",
     .type = type::path,
     .text = "The entity's key: a path, or a list of paths. With `[*]` the message addresses an "
             "entity per element.",
     .required = true},
    {.path = "entities.*.messages.*.id",
     .type = type::path,
     .text = "The message's id: a path, or a list of paths. The header `message-id` if left out."},
    {.path = "entities.*.messages.*.version",
     .type = type::path,
     .text = "The entity's version, for `dedupe: version`."},
    {.path = "entities.*.messages.*.dedupe",
     .type = type::choice,
     .text = "How a repeated message is told from a new one. There is no default.",
     .choices = "natural|unique|version|ledger"},
    {.path = "entities.*.messages.*.order",
     .type = type::choice,
     .text = "In which order an entity's messages take effect. `arrival`, but for `dedupe: "
             "version`, which needs one of the others.",
     .choices = "arrival|latest|sequence"},
    {.path = "entities.*.messages.*.start",
     .type = type::choice,
     .text = "Where a `sequence` starts: at version 1, or at whichever comes first.",
     .fallback = "1",
     .choices = "1|first"},
    {.path = "entities.*.messages.*.accept",
     .type = type::choice,
     .text = "`overwrite`: `natural` from a queue may bring an older value back, and that is fine.",
     .choices = "overwrite"},
    {.path = "entities.*.messages.*.on_dead",
     .type = type::choice,
     .text = "As in `defaults`, for this message type.",
     .choices = "park|skip"},
    {.path = "entities.*.messages.*.fingerprint",
     .type = type::map,
     .text = "How equal messages are recognized where the effects read nothing from them."},
    {.path = "entities.*.messages.*.effects",
     .type = type::list,
     .text = "What the message writes, in order.",
     .required = true},
    {.path = "entities.*.messages.*.gap",
     .type = type::map,
     .text = "a missing version is waited for, with an alarm; leave it out",
     .not_yet = true},

    {.path = "entities.*.messages.*.fingerprint.ignore",
     .type = type::list,
     .text = "Paths that may differ between two deliveries of one message."},

    {.path = "entities.*.messages.*.effects[].upsert",
     .type = type::text,
     .text = "A table: updates the row of `key`, or inserts it."},
    {.path = "entities.*.messages.*.effects[].insert",
     .type = type::text,
     .text = "A table: inserts a row of `values`. Under `dedupe: unique` the first effect is this, "
             "with `unique`."},
    {.path = "entities.*.messages.*.effects[].set",
     .type = type::text,
     .text = "A table: updates the row of `key`, which must be there."},
    {.path = "entities.*.messages.*.effects[].add",
     .type = type::text,
     .text = "A table: adds `values` to numbers in the row of `key`."},
    {.path = "entities.*.messages.*.effects[].remove",
     .type = type::text,
     .text = "A table: removes the row of `key`, if it is there."},
    {.path = "entities.*.messages.*.effects[].key",
     .type = type::map,
     .text = "Columns that find the row, each with a path or a constant. All but `insert`."},
    {.path = "entities.*.messages.*.effects[].values",
     .type = type::map,
     .text = "Columns that are written, each with a path or a constant."},
    {.path = "entities.*.messages.*.effects[].unique",
     .type = type::list,
     .text = "Of `insert`: the columns of the unique constraint that tells a repeat."},
    {.path = "entities.*.messages.*.effects[].optional",
     .type = type::list,
     .text = "Columns of `values` that are left out where their path is missing. Elsewhere a "
             "missing path makes a dead letter."},
    {.path = "entities.*.messages.*.effects[].missing",
     .type = type::choice,
     .text = "Of `add`: what a missing row does: it is created from the column defaults, or the "
             "message fails.",
     .fallback = "create",
     .choices = "create|fail"},
    {.path = "entities.*.messages.*.effects[].sql",
     .type = type::text,
     .text = "use upsert, insert, set, add or remove",
     .not_yet = true},
    {.path = "entities.*.messages.*.effects[].call",
     .type = type::text,
     .text = "use upsert, insert, set, add or remove",
     .not_yet = true},
    {.path = "entities.*.messages.*.effects[].state",
     .type = type::text,
     .text = "use upsert, insert, set, add or remove",
     .not_yet = true},

    {.path = "ledger.window",
     .type = type::duration,
     .text = "How long a message is remembered: at least as long as a source may still deliver it "
             "again. Only running time counts. Required where a message has `dedupe: ledger`.",
     .minimum = minute,
     .maximum = 3650 * day},

    {.path = "credits.messages",
     .type = type::integer,
     .text = "Messages.",
     .fallback = "50000",
     .minimum = 1,
     .maximum = 10'000'000},
    {.path = "credits.bytes",
     .type = type::bytes,
     .text = "Bytes of their payloads.",
     .fallback = "64MiB",
     .minimum = mebibyte,
     .maximum = 64L * 1024 * mebibyte},

    {.path = "batch.messages",
     .type = type::integer,
     .text = "Most messages in one commit. 1: one by one.",
     .fallback = "1024",
     .minimum = 1,
     .maximum = 65'536},

    {.path = "handlers.spare",
     .type = type::integer,
     .text = "Threads beyond the cores: so many handlers may hang before others wait.",
     .fallback = "8",
     .minimum = 0,
     .maximum = 1024},

    {.path = "drain.timeout",
     .type = type::duration,
     .text = "How long a stop may take to finish what is in flight.",
     .fallback = "30s",
     .minimum = 0,
     .maximum = hour},

    {.path = "passivate.after",
     .type = type::duration,
     .text = "How long an entity is kept without messages.",
     .fallback = "60s",
     .minimum = second,
     .maximum = day},
};

constexpr std::string_view preface = R"(# A node file
Generated by `pawl docs config` from the declarations that the program reads; a test compares them.

A node file says which messages a consumer takes, and what each writes. `pawl check FILE` says what
is wrong with it, where and what to write instead, and what each message is promised.

* The file is YAML with one reading: duplicate keys, anchors, aliases, tags and tabs are refused.
* `${NAME}` in a value takes from the environment; `$${` stands for `${`.
* Paths of files, also in `sqlite:FILE`, are relative to the file that names them.
* A duration is `500ms`, `10s`, `5m`, `2h` or `7d`; bytes are `65536`, `64KiB` or `16MiB`.
* Where a value is written to a column or taken as key, a text that starts with `$` is a path:
  `$.a.b`, `$.lines[*].sku`, `$.tags[0]` and `$['odd name']` read the payload, `$header.x` a header,
  `$meta.source`, `$meta.partition` and `$meta.offset` where it came from, and `$key`, `$id` and
  `$version` what was found for the message. `-$.quantity` is the negative of a number. `$$` at the
  start is a dollar sign; anything else is a constant.
* `[` and `${` inside `{...}` or `[...]` need quotes, since YAML takes them for its own.

In the headings `*` is a name that you choose, and `[]` an element of a list.
)";

}  // namespace

option_table node_options() { return options; }

std::string node_reference() { return std::string(preface) + option_reference(options); }

}  // namespace pawl
