# SPDX-License-Identifier: MIT
# Speex in fixed point: arrays of a length known at run time (frame pointers), calls through
# tables of functions.
PACKAGE := speex
PROGRAM_FILES := $(patsubst %,libspeex/%.c,bits cb_search exc_10_16_table exc_10_32_table \
    exc_20_32_table exc_5_256_table exc_5_64_table exc_8_128_table filters gain_table \
    gain_table_lbr hexc_10_32_table hexc_table high_lsp_tables lpc lsp lsp_tables_nb ltp \
    modes modes_wb nb_celp quant_lsp sb_celp speex speex_callbacks vbr vq window)
PROGRAM_INCLUDES := include
PROGRAM_FLAGS := -DFIXED_POINT -DDISABLE_FLOAT_API -DVAR_ARRAYS -DEXPORT= -DDISABLE_WARNINGS \
    -DDISABLE_NOTIFICATIONS -Itests/real/speex
EXAMPLE_LIBS := -lm
REAL_ROUNDS ?= 45
include tests/real/real.mk
