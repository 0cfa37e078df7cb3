# SPDX-License-Identifier: MIT
# The program on the PC.
CC ?= cc
HOST_LIBS := libdw libelf libserialport jansson libgvc zlib
HOST_CFLAGS := -std=c11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Wpedantic -Wshadow -Wvla \
    -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wformat=2 -Werror \
    -Ihost -Iwire -MMD -MP
HOST_LDLIBS = $(shell pkg-config --libs $(HOST_LIBS)) -lstdc++ -lm
HOST_SOURCES := $(wildcard host/*.c host/*/*.c)
HOST_OBJECTS := $(HOST_SOURCES:%.c=$(BUILD)/%.o)

$(BUILD)/host/%.o: host/%.c
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) $(shell pkg-config --cflags $(HOST_LIBS)) $(CFLAGS) -c -o $@ $<

# All but main, for the program and for the unit tests.
$(BUILD)/libmcuprof-host.a: $(filter-out $(BUILD)/host/main.o,$(HOST_OBJECTS))
	@rm -f $@
	ar rcs $@ $^

$(BUILD)/mcuprof: $(BUILD)/host/main.o $(BUILD)/libmcuprof-host.a
	$(CC) $(LDFLAGS) -o $@ $^ $(HOST_LDLIBS)

-include $(HOST_OBJECTS:.o=.d)
