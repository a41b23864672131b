#pragma once

#include "storage/store.hpp"

#include <memory>
#include <string>

namespace pawl {

/// A store in a SQLite file, made by the first migration or script. One node at a time runs on a
/// file; other programs read it and write marks. `refused` for a name that is no file (`:memory:`
/// would be another database for each session).
[[nodiscard]] result<std::unique_ptr<store>> open_sqlite_store(const std::string& file);

}  // namespace pawl
