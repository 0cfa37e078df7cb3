# SPDX-License-Identifier: MIT
EXAMPLE_INCLUDES := target/gmon
EXAMPLE_SOURCES := target/gmon/mcuprof_gmon.c
EXAMPLE_KNOBS := -DMCUPROF_PROFIL=1 -DMCUPROF_ARCS=0
