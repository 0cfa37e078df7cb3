# SPDX-License-Identifier: MIT
# What the devicetree says of mcuprof's UART and interrupts, read from Zephyr's
# devicetree_generated.h, whose names are in its doc/build/dts/macros.bnf.

# Sets `result` to a node's name, as timer@40001000, and `label` to one for an overlay.
function(mcuprof_node_names node result label)
    string(REGEX MATCH "#define ${node}_FULL_NAME +\"([^\"]*)" matched "${lines}")
    set(${result} ${CMAKE_MATCH_1} PARENT_SCOPE)
    string(REGEX MATCH "#define DT_N_NODELABEL_([A-Za-z0-9_]+) +${node};" matched "${lines};")
    set(${label} "&${CMAKE_MATCH_1}" PARENT_SCOPE)
endfunction()

# Sets `result` to the node that chosen { name = ...; } names, or to nothing.
function(mcuprof_chosen name result)
    string(REGEX MATCH "#define DT_CHOSEN_${name} +(DT_N_S_[A-Za-z0-9_]+)" matched "${lines}")
    set(${result} "${CMAKE_MATCH_1}" PARENT_SCOPE)
endfunction()

# The nodes of the UART and of the timer must be enabled.
function(mcuprof_check_enabled name)
    mcuprof_chosen(mcuprof_${name} node)
    if(node AND NOT "#define ${node}_STATUS_okay 1" IN_LIST lines)
        mcuprof_node_names(${node} node label)
        message(FATAL_ERROR "mcuprof: ${node}, which mcuprof,${name} names, is not enabled: "
                            "say ${label} { status = \"okay\"\; }\; in app.overlay")
    endif()
endfunction()

# Nothing else may send by the UART.
function(mcuprof_check_alone)
    mcuprof_chosen(mcuprof_uart uart)
    foreach(user UART_CONSOLE:console LOG_BACKEND_UART:log_uart SHELL_BACKEND_SERIAL:shell_uart)
        string(REPLACE ":" ";" user ${user})
        list(GET user 0 option)
        list(GET user 1 name)
        mcuprof_chosen(zephyr_${name} other)
        if(uart AND CONFIG_${option} AND other STREQUAL uart)
            mcuprof_node_names(${uart} uart label)
            string(REPLACE _ - name ${name})
            message(FATAL_ERROR "mcuprof: ${uart} is mcuprof,uart, and zephyr,${name} as well. "
                                "Give mcuprof a UART of its own, or say CONFIG_${option}=n")
        endif()
    endforeach()
endfunction()

# Sets `taken` to numbers of interrupts that hardware has, each as number:name, and
# `hidden` to enabled nodes whose handlers the timer does not interrupt.
function(mcuprof_interrupts timer taken hidden)
    set(interrupts ${lines})
    list(FILTER interrupts INCLUDE REGEX "_IRQ_IDX_[0-9]+_(VAL_irq|VAL_priority|CONTROLLER) ")
    foreach(line ${interrupts})
        string(REGEX MATCH "#define (DT_N_S_.*_IRQ_IDX_[0-9]+_[A-Za-z_]+) +(.*)$" matched ${line})
        set(${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
    endforeach()
    if(NOT DEFINED ${timer}_IRQ_IDX_0_CONTROLLER AND CONFIG_MCUPROF_SAMPLE_IRQ LESS 0)
        message(FATAL_ERROR "mcuprof: this Zephyr's devicetree does not say which numbers of "
                            "interrupts hardware has: say CONFIG_MCUPROF_SAMPLE_IRQ")
    endif()
    list(FILTER interrupts INCLUDE REGEX "_VAL_irq ")
    foreach(line ${interrupts})
        string(REGEX MATCH "((DT_N_S_.*)_IRQ_IDX_[0-9]+)_VAL_irq" matched ${line})
        set(irq ${CMAKE_MATCH_1})
        set(node ${CMAKE_MATCH_2})
        if(${irq}_CONTROLLER STREQUAL ${timer}_IRQ_IDX_0_CONTROLLER)
            mcuprof_node_names(${node} name label)
            list(APPEND numbers ${${irq}_VAL_irq}:${name})
            if(NOT node STREQUAL timer AND "#define ${node}_STATUS_okay 1" IN_LIST lines AND
               NOT ${irq}_VAL_priority GREATER ${timer}_IRQ_IDX_0_VAL_priority)
                list(APPEND names ${name})
            endif()
        endif()
    endforeach()
    list(REMOVE_DUPLICATES names)
    set(${taken} ${numbers} PARENT_SCOPE)
    set(${hidden} ${names} PARENT_SCOPE)
endfunction()

# Sets `result` to the number of the samples' interrupt: `wanted`, or, if that is -1, the
# highest that no hardware has.
function(mcuprof_sample_irq wanted taken result)
    math(EXPR last "${CONFIG_NUM_IRQS} - 1")
    foreach(number RANGE ${last})
        if(NOT "${taken};" MATCHES "(^|;)${number}:")
            list(APPEND free ${number})
        endif()
    endforeach()
    string(REPLACE ";" " " shown "${free}")
    if("${taken};" MATCHES "(^|;)${wanted}:([^;]*)")
        message(FATAL_ERROR "mcuprof: CONFIG_MCUPROF_SAMPLE_IRQ=${wanted} is the interrupt of "
                            "${CMAKE_MATCH_2}; the devicetree gives to no hardware: ${shown}")
    elseif(wanted GREATER last OR NOT free)
        message(FATAL_ERROR "mcuprof: CONFIG_MCUPROF_SAMPLE_IRQ: there is no such interrupt; the "
                            "devicetree gives to no hardware: ${shown}. With none, take a timer "
                            "of your own: CONFIG_MCUPROF_TIMER_OWN")
    elseif(wanted LESS 0)
        list(GET free -1 wanted)
        message(STATUS "mcuprof: samples are taken by interrupt ${wanted}, which the devicetree "
                       "gives to no hardware")
    endif()
    set(${result} ${wanted} PARENT_SCOPE)
endfunction()

# Checks UART and timer, and sets `result` to the number of the samples' interrupt.
function(mcuprof_check_devicetree header result)
    file(STRINGS ${header} lines REGEX "^#define DT_(N_NODELABEL|CHOSEN|N_S)_[A-Za-z0-9_]+ ")
    list(FILTER lines INCLUDE REGEX
         "NODELABEL_|CHOSEN_|_FULL_NAME |_STATUS_okay |_(VAL_irq|VAL_priority|CONTROLLER) ")
    if(CONFIG_MCUPROF_LINK_UART)
        mcuprof_check_enabled(uart)
        mcuprof_check_alone()
    endif()
    mcuprof_chosen(mcuprof_timer timer)
    if(CONFIG_MCUPROF_TIMER_COUNTER AND timer)
        mcuprof_check_enabled(timer)
        mcuprof_interrupts(${timer} taken hidden)
        mcuprof_sample_irq("${CONFIG_MCUPROF_SAMPLE_IRQ}" "${taken}" number)
        set(${result} ${number} PARENT_SCOPE)
        if(hidden)
            mcuprof_node_names(${timer} name label)
            string(REPLACE ";" " " hidden "${hidden}")
            message(WARNING "mcuprof: the profile will lack the interrupt handlers of ${hidden}: "
                            "their priorities are ${name}'s or higher ones. In app.overlay, lower "
                            "its number in interrupts = <...> of ${label}, or raise theirs")
        endif()
    endif()
endfunction()
