# SPDX-License-Identifier: MIT
# Opus in fixed point: two coders, for speech and for music, with arrays of a length known at
# run time (frame pointers) and large frames. Its own lists say which files.
PACKAGE := opus
OPUS_LISTS := $(patsubst %,$(BUILD)/sources/opus/%_sources.mk,celt silk opus)
-include $(OPUS_LISTS)
# With a recipe, for without one make would not read them once they are there.
$(OPUS_LISTS): | $(BUILD)/sources/opus/.fetched
	@test -f $@
PROGRAM_FILES := $(CELT_SOURCES) $(SILK_SOURCES) $(SILK_SOURCES_FIXED) $(OPUS_SOURCES)
PROGRAM_INCLUDES := include celt silk silk/fixed
PROGRAM_FLAGS := -DOPUS_BUILD -DFIXED_POINT -DDISABLE_FLOAT_API -DVAR_ARRAYS
EXAMPLE_LIBS := -lm
REAL_BOARDS := mps2-an385 mps2-an386 mps2-an505 versatilepb virt
REAL_ROUNDS ?= 20
include tests/real/real.mk
