# SPDX-License-Identifier: MIT
# In a component's CMakeLists.txt, behind idf_component_register(): the calls of these files are
# counted.
function(mcuprof_profile)
    foreach(file ${ARGN})
        set_property(SOURCE ${file} APPEND PROPERTY COMPILE_OPTIONS
                     -pg -fno-optimize-sibling-calls -fno-lto)
    endforeach()
endfunction()
