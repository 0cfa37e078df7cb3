# SPDX-License-Identifier: MIT
EXAMPLE_INCLUDES := target/os/gmon
EXAMPLE_SOURCES := target/os/gmon/mcuprof_gmon.c
