#pragma once

namespace pawl {

/// The `pawl` program: reads the command line, runs one command, gives its exit code.
[[nodiscard]] int run_command_line(int argc, char** argv);

}  // namespace pawl
