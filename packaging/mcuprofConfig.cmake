# SPDX-License-Identifier: MIT
# find_package(mcuprof): the library for firmware, as target/CMakeLists.txt defines it.
# MCUPROF_LINK and MCUPROF_CPU are read here, so set them before.
if(NOT TARGET mcuprof::mcuprof)
    add_subdirectory(${CMAKE_CURRENT_LIST_DIR}/../target ${CMAKE_BINARY_DIR}/mcuprof)
endif()
