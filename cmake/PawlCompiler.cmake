# How our own code is compiled: warnings, sanitizers, the compiler cache.
option(PAWL_WERROR "Treat warnings in our own code as errors" ON)
set(PAWL_SANITIZE "" CACHE STRING "Sanitizers to build with: 'address,undefined' or 'thread'")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()
# An invariant stays on in release, and so do asserts: no -DNDEBUG.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1")

add_library(pawl_warnings INTERFACE)
target_compile_options(pawl_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wold-style-cast -Wnon-virtual-dtor)
if(PAWL_WERROR)
  target_compile_options(pawl_warnings INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC 12 warns falsely inside std::string's operator+.
    target_compile_options(pawl_warnings INTERFACE -Wno-restrict)
  endif()
  if(PAWL_SANITIZE)
    # Instrumented code defeats the flow analysis behind these two.
    target_compile_options(pawl_warnings INTERFACE -Wno-maybe-uninitialized -Wno-tsan)
  endif()
endif()

if(PAWL_SANITIZE)
  add_compile_options(-fsanitize=${PAWL_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -O1)
  add_link_options(-fsanitize=${PAWL_SANITIZE})
endif()

find_program(PAWL_CCACHE ccache)
mark_as_advanced(PAWL_CCACHE)
if(PAWL_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths below the source directory are hashed relative to it, so that checkouts share the cache;
  # the sloppiness is what precompiled headers need.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${PAWL_CCACHE})
endif()
