# SPDX-License-Identifier: MIT
# `make wasm`: the program as WebAssembly, for Node and for browsers, with the libraries that it
# needs from Debian's source packages. `scripts/setup emscripten` installs the compiler.
EMCC ?= emcc
WASM := $(BUILD)/wasm
WASM_HOME := packaging/wasm
WASM_FROM := $(BUILD)/sources
WASM_PACKAGES := elfutils zlib libiberty protobuf-c
EMCC_FROM := /usr/share/emscripten/system/lib

.PHONY: wasm wasm-engine
wasm: $(HOST_READY)
	@scripts/setup emscripten
	@scripts/sources $(WASM_PACKAGES)
	@cd $(WASM_FROM)/.apt && sha256sum -c --quiet $(CURDIR)/$(WASM_HOME)/sources.sha256
	@$(MAKE) $(parallel) --no-print-directory wasm-engine

# The program, but for the files that $(WASM_HOME)/host has others for.
WASM_NOT := host/port/sort.c host/port/system.c host/port/terminal.c host/base/library.c \
    host/export/svg.c host/page/server.c host/source/ports.c host/source/serial.c \
    host/top/terminal.c
WASM_C := $(filter-out $(WASM_NOT),$(HOST_SOURCES)) $(wildcard $(WASM_HOME)/host/*.c)
WASM_O := $(WASM_C:%.c=$(WASM)/obj/%.o) $(WASM)/obj/host/export/pprof.pb-c.o \
    $(CONTAINED:$(BUILD)/%=$(WASM)/obj/%.o)
WASM_CFLAGS := $(filter-out -g -Werror,$(HOST_CFLAGS)) -I$(BUILD)/host/export \
    -I$(WASM_HOME)/include -isystem $(WASM)/include -isystem $(WASM_FROM)/zlib \
    -isystem $(WASM_FROM)/protobuf-c

# The files of each library, and how it is compiled.
wasm_all = $(wildcard $(patsubst %,$(WASM_FROM)/elfutils/%,$(1)))
WASM_elfutils = $(filter-out %/color.c %/dynamicsizehash.c %/dynamicsizehash_concurrent.c \
    %/printversion.c %/lib/x%.c,$(call wasm_all,lib/*.c libelf/*.c \
    libdw/*.c libebl/*.c libdwelf/*.c backends/arm_*.c backends/riscv*.c backends/sparc*.c))
WASM_zlib := $(patsubst %,$(WASM_FROM)/zlib/%.c,adler32 compress crc32 deflate inffast inflate \
    inftrees trees uncompr zutil)
WASM_libiberty := $(patsubst %,$(WASM_FROM)/libiberty/libiberty/%.c,cp-demangle cplus-dem \
    d-demangle rust-demangle safe-ctype xexit xmalloc xmemdup xstrdup)
WASM_protobuf-c := $(WASM_FROM)/protobuf-c/protobuf-c/protobuf-c.c
CFLAGS_elfutils := -std=gnu99 -D_GNU_SOURCE -DHAVE_CONFIG_H -I$(WASM_HOME)/elfutils \
    -I$(WASM_FROM)/zlib $(patsubst %,-I$(WASM_FROM)/elfutils/%,. lib libelf libdw libebl libdwelf \
    libdwfl libasm backends)
CFLAGS_libiberty := -D_GNU_SOURCE -DHAVE_CONFIG_H -I$(WASM_HOME)/libiberty \
    -I$(WASM_FROM)/libiberty/include
CFLAGS_protobuf-c := -I$(WASM_FROM)/protobuf-c
WASM_LIBS := $(WASM_PACKAGES:%=$(WASM)/%.a)

# One rule a library: $(1).
define wasm_library
$(WASM)/$(1).a: $$(patsubst $(WASM_FROM)/%.c,$(WASM)/obj/%.o,$$(WASM_$(1)))
	@rm -f $$@
	$$(Q)emar rcs $$@ $$^
$(WASM)/obj/$(1)/%.o: $(WASM_FROM)/$(1)/%.c $(wildcard $(WASM_HOME)/$(1)/*.h)
	@mkdir -p $$(@D)
	$$(call say,EMCC,$$<)
	$$(Q)$(EMCC) -O2 -w $$(CFLAGS_$(1)) -c -o $$@ $$<
endef
$(foreach package,$(WASM_PACKAGES),$(eval $(call wasm_library,$(package))))

# The libraries' headers, by the names that programs include.
$(WASM)/include: $(WASM_HOME)/sources.sha256
	@mkdir -p $@/elfutils $@/libiberty
	@ln -sf $(CURDIR)/$(WASM_FROM)/elfutils/libdw/libdw.h $@/elfutils/
	@ln -sf $(CURDIR)/$(WASM_FROM)/libiberty/include/*.h $@/libiberty/
	@cd $@ && ln -sf $(CURDIR)/$(WASM_FROM)/elfutils/libelf/*elf.h \
	    $(CURDIR)/$(WASM_FROM)/elfutils/libdw/dwarf.h .
	@touch $@

$(WASM_O): | $(WASM)/include $(HOST_READY)
$(WASM)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(call say,EMCC,$<)
	$(Q)$(EMCC) $(WASM_CFLAGS) -c -o $@ $<
$(WASM)/obj/%.o: $(BUILD)/%.c
	@mkdir -p $(@D)
	$(Q)$(EMCC) $(WASM_CFLAGS) -w -c -o $@ $<
$(WASM)/obj/host/export/pprof.o: $(PPROF_C)
-include $(WASM_O:.o=.d)

comma := ,
WASM_EXPORTED := $(patsubst %,_engine_%,open close error push pass finish state problem received \
    lost advice console report page export) $(patsubst %,_shell_datagram_%,add take)
# Debian's node modules, for emscripten, whosever node runs it.
WASM_LINK := NODE_PATH=/usr/share/nodejs $(EMCC) -O2 -s MODULARIZE=1 -s ALLOW_MEMORY_GROWTH=1 \
    -s MAXIMUM_MEMORY=4GB -s EXIT_RUNTIME=1 -s TOTAL_STACK=1MB \
    -s EXPORTED_RUNTIME_METHODS=callMain,ccall,FS,UTF8ToString \
    -s EXPORTED_FUNCTIONS=_main,_malloc,_free,$(subst $() ,$(comma),$(WASM_EXPORTED))
$(WASM)/engine.js: $(WASM_HOME)/shell.js $(WASM_HOME)/node.js $(WASM_O) $(WASM_LIBS)
	$(call say,LINK,$@)
	$(Q)$(WASM_LINK) -s ENVIRONMENT=node -s NODERAWFS=1 -o $@ $(patsubst \
	    %.js,--js-library %.js,$^)

# What Node runs, as npm has it: a package with the licences of what is linked with the program,
# whose sources `make wasm-sources` packs, with all that is needed to link it anew.
NPM_HOME := $(WASM_HOME)/npm
WASM_NPM := $(patsubst $(NPM_HOME)/%,$(WASM)/%,$(filter-out %/package-lock.json %/tsconfig.json \
    %.d.ts,$(wildcard $(NPM_HOME)/*.*)))
$(WASM)/%: $(NPM_HOME)/%
	@mkdir -p $(@D) && install -m $(if $(filter mcuprof.js,$*),755,644) $< $@
$(WASM)/package.json: $(NPM_HOME)/package.json host/cmd/cmd.h
	@sed '/"devDependencies"/,/}/d; s/"version": .*/"version": "$(VERSION)",/' $< > $@
$(NPM_HOME)/node_modules: $(NPM_HOME)/package-lock.json
	@npm ci --prefix $(@D) --ignore-scripts --no-audit --no-fund >/dev/null && touch $@
$(WASM)/node_modules: | $(NPM_HOME)/node_modules
	@ln -sfn $(CURDIR)/$(NPM_HOME)/node_modules $@
$(WASM)/LICENSES: LICENSE $(WASM_HOME)/sources.sha256
	@mkdir -p $@ && cp LICENSE $@/mcuprof
	@cp $(WASM_FROM)/elfutils/COPYING-LGPLV3 $(WASM_FROM)/elfutils/COPYING-GPLV2 $@
	@cp $(WASM_FROM)/elfutils/COPYING $@/COPYING-GPLV3 # LGPL 3 is a supplement to it
	@cp $(WASM_FROM)/libiberty/libiberty/COPYING.LIB $@/libiberty
	@cp $(WASM_FROM)/zlib/README $@/zlib && cp $(WASM_FROM)/protobuf-c/LICENSE $@/protobuf-c
	@cp $(EMCC_FROM)/libc/musl/COPYRIGHT $@/musl
	@cp /usr/share/doc/emscripten/copyright $@/emscripten
	@touch $@
wasm-engine: $(WASM)/engine.js $(WASM_NPM) $(WASM)/LICENSES $(WASM)/node_modules

.PHONY: wasm-package wasm-sources
wasm-package: wasm
	@cd $(WASM) && npm pack --silent

# LGPL: whoever has the package can link it with another elfutils.
wasm-sources: wasm
	@tar -czf $(WASM)/mcuprof-wasm-sources.tar.gz --exclude=node_modules \
	    --transform 's|^|mcuprof-wasm-sources/|' $(WASM_HOME) $(WASM_O) $(WASM_LIBS) \
	    $(WASM_PACKAGES:%=$(WASM_FROM)/.apt/%)

# The tests of commands on files once more, with Node in place of the program. Left out: tests of
# commands that read a line, and those that look at sources or at how the program is built. Then all
# captures of all boards by both, and the shell's own tests.
TESTED_BY_NODE := check columns counters diff disassembly energy escapes export inlined kl25z \
    m0plus names paths report sources stabs tasks timed timed_exports timed_inlined \
    timeline twice unseen unwind unwind_frames version1
.PHONY: test-wasm
test-wasm: web
	@$(NPM_HOME)/node_modules/.bin/tsc -p $(NPM_HOME)
	@$(MAKE) --no-print-directory -s firmware EXAMPLE=fib BOARD=microbit
	@for board in $(BOARDS); do \
	    $(MAKE) --no-print-directory -s capture EXAMPLE=blinky BOARD=$$board || exit; done
	@MCUPROF=$(WASM)/mcuprof.js tests/run.py $(TESTED_BY_NODE:%=tests/golden/test_%.py)
	@tests/wasm/compare.py $(WASM)/mcuprof.js
	@node --test $(wildcard tests/wasm/*.test.*js)

# The page without an install: static files for any server, in $(WEB), with the licences. The policy
# of the page that it shows in a frame holds there, too.
WEB := $(BUILD)/web
WEB_FILES := $(patsubst $(WASM_HOME)/web/%,$(WEB)/%,$(wildcard $(WASM_HOME)/web/*)) \
    $(WEB)/engine.js $(WEB)/demo.elf $(WEB)/demo.mprof $(WEB)/LICENSES
policy = $$(sed -n "s/.*$(1) \('sha256-[^']*'\).*/\1/p" $(PAGE_HTML) | head -n 1)
$(WEB)/%: $(WASM_HOME)/web/%
	@mkdir -p $(@D) && install -m 644 $< $@
$(WEB)/index.html: $(WASM_HOME)/web/index.html $(PAGE_HTML)
	@mkdir -p $(@D)
	@sed "s|@SCRIPT@|$(call policy,script-src)|; s|@STYLE@|$(call policy,style-src)|" $< > $@
$(WEB)/engine.js: $(WASM_HOME)/shell.js $(WASM_HOME)/memory.js $(WASM_O) $(WASM_LIBS)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(WASM_LINK) -s ENVIRONMENT=worker -o $@ $(patsubst %.js,--js-library %.js,$^)
$(WEB)/demo.%: $(BUILD)/firmware/microbit/blinky.%
	@mkdir -p $(@D) && install -m 644 $< $@
$(WEB)/LICENSES: $(WASM)/LICENSES
	@rm -rf $@ && mkdir -p $(@D) && cp -r $< $@
.PHONY: web web-files
web: wasm $(BUILD)/mcuprof
	@$(MAKE) --no-print-directory -s capture EXAMPLE=blinky BOARD=microbit
	@$(MAKE) --no-print-directory web-files
web-files: $(WEB_FILES)
