# libpqxx 6 has no CMake config (7 has one, with the target libpqxx::pqxx). Gives pqxx::pqxx, with libpq behind it.
include(FindPackageHandleStandardArgs)
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(pqxx_pc QUIET IMPORTED_TARGET GLOBAL libpqxx)
endif()

find_package_handle_standard_args(libpqxx
  REQUIRED_VARS pqxx_pc_LINK_LIBRARIES
  VERSION_VAR pqxx_pc_VERSION)

if(libpqxx_FOUND AND NOT TARGET pqxx::pqxx)
  find_package(PostgreSQL REQUIRED)
  add_library(pqxx::pqxx INTERFACE IMPORTED GLOBAL)
  target_link_libraries(pqxx::pqxx INTERFACE PkgConfig::pqxx_pc PostgreSQL::PostgreSQL)
endif()
