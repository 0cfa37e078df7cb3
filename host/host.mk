# SPDX-License-Identifier: MIT
# The program on the PC.
CC ?= cc
HOST_LIBS := libdw libelf libserialport zlib libprotobuf-c
# Commands load these when they need them: host/base/library.h.
LOADED_LIBS := libgvc libmicrohttpd ncursesw
HOST_CFLAGS := -std=c11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Wpedantic -Wshadow -Wvla \
    -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wformat=2 \
    -Ihost -Iwire -MMD -MP
# Warnings are errors for those who work on it; a release is built by compilers yet to come.
HOST_CFLAGS += $(if $(wildcard .git),-Werror)
# The program is C11 and POSIX.1-2008; what only some systems have lies in host/port/. So the
# flags by which libraries ask for more (ncurses does) are left out.
POSIX_CFLAGS = $(HOST_CFLAGS:-D_GNU_SOURCE=-D_XOPEN_SOURCE=700) \
    $(filter-out -D_DEFAULT_SOURCE -D_XOPEN_SOURCE=%,$(HOST_LIBS_CFLAGS))
$(BUILD)/host/port/%.o: POSIX_CFLAGS = $(HOST_CFLAGS)
# Asked for only where something is built, after the packages are there.
HOST_LIBS_CFLAGS = $(eval HOST_LIBS_CFLAGS := $(shell pkg-config --cflags $(HOST_LIBS) $(LOADED_LIBS)))$(HOST_LIBS_CFLAGS)
HOST_LDLIBS = $(shell pkg-config --libs $(HOST_LIBS)) -liberty -lm -ldl -pthread
HOST_SOURCES := $(wildcard host/*.c host/*/*.c host/*/*/*.c)
CONTAINED := $(addprefix $(BUILD)/host/,page/page_html export/flamegraph_css export/flamegraph_js)
HOST_OBJECTS := $(HOST_SOURCES:%.c=$(BUILD)/%.o) $(BUILD)/host/export/pprof.pb-c.o \
    $(CONTAINED:=.o)

$(BUILD)/host/%.o: host/%.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(POSIX_CFLAGS) $(CFLAGS) -c -o $@ $<

# All objects but main's, for the program and for the unit tests.
$(BUILD)/libmcuprof-host.a: $(filter-out $(BUILD)/host/main.o,$(HOST_OBJECTS))
	@rm -f $@
	$(Q)ar rcs $@ $^

$(BUILD)/mcuprof: $(BUILD)/host/main.o $(BUILD)/libmcuprof-host.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(HOST_LDLIBS)

# PROGRAM_THERE=1: the program is built. Tests say so when they make firmware, for to read these
# takes two thirds of such a make.
ifndef PROGRAM_THERE
-include $(HOST_OBJECTS:.o=.d)
endif

# protoc-c makes this code, so it is compiled without warnings.
PPROF_C := $(BUILD)/host/export/pprof.pb-c.c
$(PPROF_C): host/export/pprof.proto
	@mkdir -p $(@D)
	$(call say,PROTO,$<)
	$(Q)protoc-c --c_out=$(@D) -I $(<D) $(<F)
$(BUILD)/host/export/pprof.pb-c.o: $(PPROF_C)
	$(Q)$(CC) -O2 -g -w $(HOST_LIBS_CFLAGS) $(CFLAGS) -c -o $@ $<
$(BUILD)/host/export/pprof.o: HOST_CFLAGS += -I$(BUILD)/host/export
$(BUILD)/host/export/pprof.o: $(PPROF_C)

# loaded.so has no code, but is linked with the libraries that commands load. So it names their
# files: to the program by loaded.h, which is made from it, and to dpkg-shlibdeps directly.
LOADED := $(BUILD)/host/loaded
$(LOADED).so: host/host.mk
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -shared -o $@ -Wl,--no-as-needed \
	    $(shell pkg-config --libs $(LOADED_LIBS))
$(LOADED).h: $(LOADED).so
	$(Q)readelf -dW $< | \
	    sed -n 's/.*NEEDED.*\[\(lib\(\w*\)\.so.*\)\]/#define LOADED_\2 "\1"/p' > $@
LOADING := $(patsubst %,$(BUILD)/host/%.o,export/svg page/server top/terminal)
$(LOADING): HOST_CFLAGS += -I$(BUILD)/host
$(LOADING): $(LOADED).h

# The page: what web/ is bundled into, if npm's packages are there; else the one that comes with a
# release (`make dist`); else, or with PAGE=0, the program is built without it.
PAGE_WEB := host/page/web
PAGE_HTML := $(BUILD)/host/page/page.html
PAGE_RELEASED := $(wildcard host/page/page.html)
PAGE_BY := $(if $(filter 0,$(PAGE)),nobody,$(if $(wildcard $(PAGE_WEB)/node_modules/esbuild),$\
    npm,$(if $(PAGE_RELEASED),release,nobody)))
page_by_npm = node $(PAGE_WEB)/build.mjs $@
page_by_release = cp $(PAGE_RELEASED) $@
page_by_nobody = echo none > $@
# Said by each `make`, for it does not fail; PAGE=0 says that the page is not wanted.
PAGE_TOLD := mcuprof: built without the page of html and serve: npm's packages are missing; \
    scripts/setup --program installs them
page_missing = $(if $(PAGE),,$(if $(filter nobody,$(PAGE_BY)),@echo "$(PAGE_TOLD)"))
$(PAGE_HTML): $(wildcard $(PAGE_WEB)/*.* $(PAGE_WEB)/src/*) $(PAGE_RELEASED) $(PAGE_HTML)-by-$(PAGE_BY)
	$(call say,PAGE,$@)
	$(Q)$(page_by_$(PAGE_BY))
# Made anew where the last page was made in another way.
$(PAGE_HTML)-by-%:
	@mkdir -p $(@D) && rm -f $(PAGE_HTML)-by-* && touch $@

# The program contains these files as arrays, named as the file of C. od and sed are everywhere;
# xxd is not, and ld -b binary is of one linker and names an array by the path that it was given.
$(BUILD)/host/page/page_html.c: $(PAGE_HTML)
$(BUILD)/host/export/flamegraph_%.c: host/export/flamegraph.%
	@mkdir -p $(@D)
	$(ARRAY)
$(BUILD)/host/page/page_html.c:
	$(ARRAY)
ARRAY = $(Q){ echo "const char $(basename $(@F))[] = {"; \
    od -An -v -td1 $< | sed 's/-*[0-9][0-9]*/&,/g'; echo "0};"; } > $@
$(CONTAINED:=.o): %.o: %.c
	$(Q)$(CC) $(HOST_CFLAGS) $(CFLAGS) -c -o $@ $<

# Asked before anything is compiled, so that nobody waits minutes to be told.
HOST_READY := $(BUILD)/host/ready
$(HOST_OBJECTS) $(LOADED).so $(PAGE_HTML) $(PPROF_C): | $(HOST_READY)
$(HOST_READY):
	@mkdir -p $(@D)
	@pkg-config --exists --print-errors $(HOST_LIBS) $(LOADED_LIBS) && \
	    command -v protoc-c >/dev/null || { \
	    echo "mcuprof: packages are missing: scripts/setup --program installs those that building" \
	        "the program needs, and scripts/setup those of the tests as well" >&2; exit 1; }
	@touch $@
