#include "runtime/cli/cli.hpp"

int main(int argc, char** argv) { return pawl::run_command_line(argc, argv); }
