# SPDX-License-Identifier: MIT
# `make help` lists what there is to make.
BUILD := build
.DEFAULT_GOAL := all
.DELETE_ON_ERROR:

# V=1 shows the commands; -s shows nothing.
Q := $(if $(V),,@)
say = $(if $(V)$(findstring s,$(firstword -$(MAKEFLAGS))),,@printf '  %-5s %s\n' $(1) $(2))

include host/host.mk
include boards/firmware.mk
include tests/tests.mk
include packaging/wasm/wasm.mk
-include bench/bench.mk

.PHONY: help all demo test setup install uninstall dist deb clean
help:
	@echo "make demo              set up, build, profile examples/blinky on an emulated board"
	@echo "make test              set up, build, run all tests"
	@echo "make check-unit        the PC's modules alone, in seconds; check-cli: what commands print;"
	@echo "                       check-gprof; check-firmware BOARD=...: firmware of one board"
	@echo "make                   build the program: $(BUILD)/mcuprof"
	@echo "make test-sanitized    unit tests and check-cli once more, under ASan and UBSan"
	@echo "make mutations         changes in host/, one at a time: which tests catch each"
	@echo "make firmware          build $(BUILD)/firmware/BOARD/EXAMPLE.elf"
	@echo "make capture           run it, leave what it sent beside it: EXAMPLE.mprof"
	@echo "make wasm              the program as WebAssembly, for Node: $(BUILD)/wasm/mcuprof.js;"
	@echo "                       wasm-package makes npm's package, web a page that runs it in a"
	@echo "                       browser, $(BUILD)/web; test-wasm tests all three"
	@echo "make bench             what profiling costs on the chip and on the wire"
	@echo "make seeds             what five texts promise, shown: writes docs/seeds.md anew"
	@echo "make faults            damage captures in 10^7 ways: nothing false is counted"
	@echo "make sweep             an interrupt at each instruction of what the profiler does"
	@echo "make attack            random programs built to break the walk of call paths; SEED=N repeats"
	@echo "make soak              an emulated board on a lossy line for SECONDS=600"
	@echo "make fuzz              fuzz each of the readers for SECONDS=3600"
	@echo "make analyse           the program by gcc's analyser and by clang: no warning"
	@echo "make check-format      compare the sources with .clang-format; 'make format' mends"
	@echo "make install           to PREFIX, /usr/local by default; 'make uninstall' removes it"
	@echo "make install-library   libmcuprof, for other programs: host/engine/engine.h"
	@echo "make dist              a release: $(BUILD)/mcuprof-$(VERSION).tar.gz, which builds without npm"
	@echo "make deb               a Debian package, in $(BUILD)/deb"
	@echo "make clean             remove $(BUILD)/"
	@echo
	@echo "BOARD=$(BOARD)   one of: $(BOARDS)"
	@echo "EXAMPLE=$(EXAMPLE)   one of: $(EXAMPLES)"
	@echo "KNOBS, OPTIMISE, HOOKS, OUT   see boards/firmware.mk;  V=1 shows commands"

all: $(BUILD)/mcuprof
	$(page_missing)

setup:
	@scripts/setup

# A recursive make, for the packages must be there before anything is asked of them. It builds on
# all processors, unless it was said on how many. Tests run as many at once by themselves, and call
# make, so theirs is -j1.
parallel = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))
demo: setup
	@$(MAKE) $(parallel) --no-print-directory capture HOOKS=0
	@echo
	@$(BUILD)/mcuprof report --no-pager -e $(OUT)/$(EXAMPLE).elf $(OUT)/$(EXAMPLE).mprof

test: setup
	@$(MAKE) $(parallel) --no-print-directory test-programs
	@$(MAKE) -j1 --no-print-directory test-all

# The library for firmware goes to share/mcuprof as it lies here: pkg-config and CMake find it.
PREFIX ?= /usr/local
SHARE := $(PREFIX)/share
ZSH_COMPLETIONS ?= $(SHARE)/zsh/site-functions
VERSION := $(shell sed -n 's/.*define MCUPROF_VERSION "\(.*\)"/\1/p' host/cmd/cmd.h)
COMPLETIONS := $(SHARE)/bash-completion/completions/mcuprof $(ZSH_COMPLETIONS)/_mcuprof \
    $(SHARE)/fish/vendor_completions.d/mcuprof.fish
MANUAL := $(wildcard man/*.1)
fill_in = install -d $(dir $(2)) && \
    sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|' $(1) > $(2)

install: $(BUILD)/mcuprof uninstall
	install -D -m 755 $(BUILD)/mcuprof $(DESTDIR)$(PREFIX)/bin/mcuprof
	install -d $(DESTDIR)$(SHARE)/man/man1 $(dir $(addprefix $(DESTDIR),$(COMPLETIONS)))
	install -m 644 $(MANUAL) $(DESTDIR)$(SHARE)/man/man1
	$(BUILD)/mcuprof completion bash > $(DESTDIR)$(word 1,$(COMPLETIONS))
	$(BUILD)/mcuprof completion zsh > $(DESTDIR)$(word 2,$(COMPLETIONS))
	$(BUILD)/mcuprof completion fish > $(DESTDIR)$(word 3,$(COMPLETIONS))
	for file in $$(find target wire -type f); do \
	    install -D -m 644 $$file $(DESTDIR)$(SHARE)/mcuprof/$$file || exit; \
	done
	$(call fill_in,packaging/mcuprof.pc.in,$(DESTDIR)$(SHARE)/pkgconfig/mcuprof.pc)
	install -D -m 644 packaging/mcuprofConfig.cmake \
	    $(DESTDIR)$(SHARE)/mcuprof/cmake/mcuprofConfig.cmake
	$(call fill_in,packaging/mcuprofConfigVersion.cmake.in,$\
	    $(DESTDIR)$(SHARE)/mcuprof/cmake/mcuprofConfigVersion.cmake)

# The program as a library for others, host/engine/engine.h: pkg-config finds it as libmcuprof.
.PHONY: install-library
install-library: $(BUILD)/libmcuprof-host.a
	install -D -m 644 $< $(DESTDIR)$(PREFIX)/lib/libmcuprof.a
	install -D -m 644 host/engine/engine.h $(DESTDIR)$(PREFIX)/include/mcuprof/engine.h
	$(call fill_in,packaging/libmcuprof.pc.in,$(DESTDIR)$(SHARE)/pkgconfig/libmcuprof.pc)

# Blanks would make two paths of one, and what is removed another directory.
uninstall:
	$(if $(word 2,$(DESTDIR)$(PREFIX)),$(error DESTDIR and PREFIX are paths without blanks))
	$(if $(filter /%,$(PREFIX)),,$(error PREFIX = $(PREFIX): is no absolute path))
	rm -rf $(DESTDIR)$(SHARE)/mcuprof
	rm -f $(addprefix $(DESTDIR),$(PREFIX)/bin/mcuprof $(SHARE)/pkgconfig/mcuprof.pc \
	    $(COMPLETIONS) $(addprefix $(SHARE)/,$(MANUAL:man/%=man/man1/%))) \
	    $(addprefix $(DESTDIR)$(PREFIX)/,lib/libmcuprof.a share/pkgconfig/libmcuprof.pc)
	rm -rf $(DESTDIR)$(PREFIX)/include/mcuprof

# A release: what git knows, as it lies here, and the page, so that whoever builds it needs neither
# npm nor a network. The same files make the same bytes. CONTRIBUTING.md says how one releases.
RELEASE := mcuprof-$(VERSION)
dist: $(PAGE_HTML)
	$(if $(wildcard .git),,$(error make dist: this is no clone of the repository))
	$(if $(filter nobody,$(PAGE_BY)),$(error make dist: npm's packages are missing: run scripts/setup))
	@rm -rf $(BUILD)/dist && mkdir -p $(BUILD)/dist/$(RELEASE)/host/page
	@git ls-files -z | tar -c --null -T - | tar -x -C $(BUILD)/dist/$(RELEASE)
	@cp $(PAGE_HTML) $(BUILD)/dist/$(RELEASE)/host/page/
	@tar -c -C $(BUILD)/dist --sort=name --owner=0 --group=0 --numeric-owner --mode=go=rX,u+w \
	    --mtime=@$$(git log -1 --format=%ct) $(RELEASE) | gzip -9n > $(BUILD)/$(RELEASE).tar.gz
	@echo $(BUILD)/$(RELEASE).tar.gz

# A Debian package, in $(BUILD)/deb, checked by lintian. It is made from the release, by whom git
# knows, or MAINTAINER="NAME <ADDRESS>".
MAINTAINER ?= $(shell git config user.name) <$(shell git config user.email)>
deb: dist
	@scripts/setup debhelper lintian
	@rm -rf $(BUILD)/deb && mkdir $(BUILD)/deb && tar -x -C $(BUILD)/deb -f $(BUILD)/$(RELEASE).tar.gz
	@cd $(BUILD)/deb/$(RELEASE) && sed -i 's|Whoever Builds It <>|$(MAINTAINER)|' debian/control \
	    debian/changelog && dpkg-buildpackage -us -uc -b
	@lintian --fail-on error,warning,info $(BUILD)/deb/*.changes && ls $(BUILD)/deb/*.deb

clean:
	rm -rf $(BUILD)
