#include "storage/sqlite_error.hpp"

#include <sqlite3.h>

namespace pawl {

fault classify_sqlite(int code, bool at_run_time) {
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_IOERR:
    case SQLITE_FULL:
    case SQLITE_NOMEM:
    case SQLITE_READONLY:
    case SQLITE_PROTOCOL:
    case SQLITE_INTERRUPT:
    case SQLITE_SCHEMA:
      return fault::retry;
    case SQLITE_ERROR:
      return at_run_time ? fault::unknown : fault::deployment;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_MISUSE:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_INTERNAL:
    case SQLITE_RANGE:
      return fault::deployment;
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_TOOBIG:
      return fault::poison;
    default:
      return fault::unknown;
  }
}

}  // namespace pawl
