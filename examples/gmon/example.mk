# SPDX-License-Identifier: MIT
EXAMPLE_INCLUDES := target/gmon
EXAMPLE_SOURCES := target/gmon/mcuprof_gmon.c
