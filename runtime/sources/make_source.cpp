#include "runtime/sources/make_source.hpp"

#include "runtime/sources/file_source.hpp"
#include "runtime/sources/stdin_source.hpp"

namespace pawl {

std::unique_ptr<source> make_source(const source_config& declared, bool once) {
  if (declared.kind == source_kind::standard_input) {
    return std::make_unique<stdin_source>(declared.name);
  }
  return std::make_unique<file_source>(
      file_source_config{declared.name, declared.file, declared.partition, once});
}

}  // namespace pawl
