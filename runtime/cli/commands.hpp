#pragma once

#include "runtime/cli/console.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pawl {

/// The commands of `pawl`, one function each; the command line is read in cli.cpp.

struct node_arguments {
  std::string file;
  bool once = false;
};
exit_code command_node(const console& out, const node_arguments& given);

exit_code command_check(const console& out, const std::string& file,
                        const std::optional<std::string>& message_file);

struct run_arguments {
  std::string file;
  std::optional<std::uint64_t> seed;
  std::string store;  ///< URL with `{consumer}` in it; empty: fresh SQLite databases
  std::string junit;  ///< file to write; empty: none
  std::string keep;   ///< folder to leave the databases in; empty: none are left
};
exit_code command_run(const console& out, const run_arguments& given);

/// `setup`: a script of the user's to be run before; empty: none.
exit_code command_migrate(const console& out, const std::string& file, const std::string& setup);
exit_code command_status(const console& out, const std::string& file);
exit_code command_ledger_show(const console& out, const std::string& file);
exit_code command_ledger_prune(const console& out, const std::string& file);
exit_code command_entity_show(const console& out, const std::string& file,
                              const std::string& entity);

exit_code command_dead_letters_list(const console& out, const std::string& file, std::size_t limit);
exit_code command_dead_letters_show(const console& out, const std::string& file, std::int64_t id);
exit_code command_dead_letters_mark(const console& out, const std::string& file, std::int64_t id,
                                    dead_letter_mark mark);

struct explain_arguments {
  std::string file;
  std::string message_id;
  std::vector<std::string> entities;
};
exit_code command_explain(const console& out, const explain_arguments& given);

/// A reference text that is generated from the program's declarations.
exit_code command_docs(const console& out, const std::string& text);

}  // namespace pawl
