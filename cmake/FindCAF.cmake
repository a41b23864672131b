# The C++ Actor Framework 0.17 as packaged by Debian, which ships neither a CMake config nor a .pc file.
# Gives CAF::core. The network module (caf_io) is left out on purpose: Pawl never opens a CAF port.
include(FindPackageHandleStandardArgs)

find_path(CAF_INCLUDE_DIR caf/config.hpp)
find_library(CAF_core_LIBRARY caf_core)
mark_as_advanced(CAF_INCLUDE_DIR CAF_core_LIBRARY)

if(CAF_INCLUDE_DIR)
  # "#define CAF_VERSION 1706" is 0.17.6: two digits each for minor and patch.
  file(STRINGS "${CAF_INCLUDE_DIR}/caf/config.hpp" caf_version_line REGEX "define +CAF_VERSION +[0-9]+")
  string(REGEX MATCH "[0-9]+$" caf_version_number "${caf_version_line}")
  if(caf_version_number)
    math(EXPR caf_major "${caf_version_number} / 10000")
    math(EXPR caf_minor "${caf_version_number} / 100 % 100")
    math(EXPR caf_patch "${caf_version_number} % 100")
    set(CAF_VERSION "${caf_major}.${caf_minor}.${caf_patch}")
  endif()
endif()

find_package_handle_standard_args(CAF
  REQUIRED_VARS CAF_core_LIBRARY CAF_INCLUDE_DIR
  VERSION_VAR CAF_VERSION)

if(CAF_FOUND AND NOT TARGET CAF::core)
  find_package(Threads REQUIRED)
  add_library(CAF::core UNKNOWN IMPORTED)
  set_target_properties(CAF::core PROPERTIES
    IMPORTED_LOCATION "${CAF_core_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${CAF_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES Threads::Threads)
endif()
