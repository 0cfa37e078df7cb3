# SPDX-License-Identifier: MIT
# In a component's CMakeLists.txt, behind idf_component_register(): the calls of these files are
# counted.
function(mcuprof_profile)
    foreach(file ${ARGN})
        get_filename_component(path ${file} ABSOLUTE)
        string(FIND "${path}" "${CMAKE_BINARY_DIR}/" made)
        if(NOT EXISTS ${path} AND NOT made EQUAL 0)
            message(FATAL_ERROR "mcuprof_profile: there is no ${path}: name files as in SRCS of "
                                "idf_component_register()")
        endif()
        set_property(SOURCE ${file} APPEND PROPERTY COMPILE_OPTIONS
                     -pg -fno-optimize-sibling-calls -fno-lto)
    endforeach()
endfunction()
