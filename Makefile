# readperf: make help lists the targets. CFLAGS, CC, prefix and DESTDIR are yours.
# WITHOUT="libzstd zlib ..." leaves optional libraries out; WITHOUT=all leaves out every one.

prefix  ?= /usr/local
docdir  ?= $(prefix)/share/doc/readperf
man1dir ?= $(prefix)/share/man/man1
bashdir ?= $(prefix)/share/bash-completion/completions
zshdir  ?= $(prefix)/share/zsh/site-functions
fishdir ?= $(prefix)/share/fish/vendor_completions.d
# Without DEV=1, functions and lines are enough for a debugger: a fifth less time to build.
CFLAGS  ?= -O2 $(if $(DEV),-g,-g1)
comma   := ,
B       := build/$(or $(subst $(comma),-,$(SAN)),$(if $(STATIC),static,plain))$(if $(WITHOUT),-without)
VERSION := $(shell sed -n 's/^.define READPERF_VERSION "\(.*\)"/\1/p' decode/tables/version.h)

# No function needs much of a stack: the smallest limit that a shell can set is enough for its thread.
FRAMES := $(if $(DEV),$(if $(SAN),,-Wframe-larger-than=16384))

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes \
        -Wundef -Wvla -Wformat=2 -Wcast-qual -Wwrite-strings $(if $(DEV),-Werror)

# Optional libraries: used where the compiler can link them.
PKG_CONFIG ?= pkg-config
# STATIC=1: one file that needs no library where it runs. Libraries that are loaded while it runs go.
ifdef STATIC
PKG_CONFIG += --static
override WITHOUT += libdebuginfod libxlsxwriter
override LDFLAGS += -static
endif
LIBRARIES := libzstd liblzma zlib libdeflate libiberty libxlsxwriter libdebuginfod
# cmocka is a library of the tests.
KNOWN := all $(LIBRARIES) cmocka
$(if $(filter-out $(KNOWN),$(WITHOUT)),$(error WITHOUT=$(filter-out $(KNOWN),$(WITHOUT)): known are $(KNOWN)))
have = $(if $(filter all $(1),$(WITHOUT)),,$(shell $(PKG_CONFIG) --exists $(1) 2>/dev/null && echo yes))
links = $(if $(filter all $(1),$(WITHOUT)),,$(shell echo 'int main(void){return 0;}' | \
          $(CC) -x c - $(if $(STATIC),-static) -l$(2) -o /dev/null 2>/dev/null && echo yes))
FOUND := $(foreach lib,$(filter-out libiberty libxlsxwriter,$(LIBRARIES)),$(if $(call have,$(lib)),$(lib)))
IBERTY := $(call links,libiberty,iberty)
XLSXWRITER := $(call links,libxlsxwriter,xlsxwriter)
USED := $(FOUND) $(if $(IBERTY),libiberty) $(if $(XLSXWRITER),libxlsxwriter)
FEATURES := $(if $(filter libzstd,$(FOUND)),-DHAVE_ZSTD=1) \
            $(if $(filter liblzma,$(FOUND)),-DHAVE_LZMA=1) \
            $(if $(filter zlib,$(FOUND)),-DHAVE_ZLIB=1) \
            $(if $(filter libdeflate,$(FOUND)),-DHAVE_LIBDEFLATE=1) \
            $(if $(filter libdebuginfod,$(FOUND)),-DHAVE_DEBUGINFOD=1) \
            $(if $(IBERTY),-DHAVE_LIBIBERTY=1) $(if $(XLSXWRITER),-DHAVE_XLSXWRITER=1)
# libdebuginfod and libxlsxwriter are loaded when they are needed, not linked: they bring others with them.
LINKED := $(filter-out libdebuginfod,$(FOUND))
LIBS := -lm $(if $(LINKED),$(shell $(PKG_CONFIG) --libs $(LINKED))) \
        $(if $(IBERTY),-liberty) $(if $(XLSXWRITER)$(filter libdebuginfod,$(FOUND)),-ldl) -lpthread

ALL_CFLAGS = -std=c11 -D_POSIX_C_SOURCE=200809L -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64 \
             -I. $(WARN) $(FEATURES) $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all) $(CFLAGS)
# A build for gcov or llvm-cov writes files when it ends, which util/sandbox.c must know.
MEASURED := $(if $(filter --coverage -fprofile-arcs -fprofile-instr-generate,$(CC) $(CFLAGS) $(LDFLAGS)),-DMEASURED)
COMPILE = $(CC) $(ALL_CFLAGS) $(MEASURED) $(CPPFLAGS)

# One line per compiled file; V=1 prints the commands instead.
Q := $(if $(V),,@)
space := $(subst ,, )
say = $(if $(V),,$(info $(space) $(1)   $(patsubst $(B)/%,%,$@)))

UTIL_SRCS := $(sort $(wildcard util/*.c))
PERFFILE_SRCS := $(sort $(wildcard perffile/*.c perffile/*/*.c))
DECODE_SRCS := $(sort $(wildcard decode/*/*.c))
LIB_SRCS := $(UTIL_SRCS) $(PERFFILE_SRCS) $(DECODE_SRCS)
LIB_OBJS := $(LIB_SRCS:%.c=$(B)/%.o)

all: $(if $(filter build/plain build/plain-without,$(B)),readperf,$(B)/readperf)

# The name at the top is that of a build for use, with or without libraries.
readperf: $(B)/readperf FORCE
	@cmp -s $< $@ || cp $< $@

$(B)/readperf: $(B)/readperf.o $(LIB_OBJS)
	$(call say,LINK)
	$(Q)$(COMPILE) $(LDFLAGS) $^ $(LIBS) -o $@

# Texts that a file has as C strings: an array of lines, for no string may be longer than 4095 bytes.
as_strings = mkdir -p $(@D) && awk 'BEGIN { print "static const char *const $(1)[] = {" } \
	{ gsub(/\\/, "&&"); gsub(/"/, "\\\""); print "\t\"" $$0 "\\n\"," } END { print "\t0\n};" }' $^ > $@

$(B)/flame_js.h: decode/exports/frames.js decode/exports/flame.js
	@$(call as_strings,flame_script)

PAGE_SCRIPTS := text data model processes states state parts flame timeline functions tree changes lines keys main
$(B)/page_js.h: decode/exports/frames.js $(PAGE_SCRIPTS:%=decode/exports/page/%.js)
	@$(call as_strings,page_js)

$(B)/page_css.h: decode/exports/page/page.css
	@$(call as_strings,page_css)

$(B)/decode/exports/flame.o: $(B)/flame_js.h
$(B)/decode/exports/page.o: $(B)/page_js.h $(B)/page_css.h
$(B)/decode/exports/flame.o $(B)/decode/exports/page.o: private COMPILE += -I$(B)

# The numbers of syscalls and errors of the machine that is built for, by its own headers.
$(B)/calls.h: Makefile
	@mkdir -p $(@D)
	@{ echo 'static const struct { int number; const char *name; } call_list[] = {'; \
	   echo '#include <sys/syscall.h>' | $(CC) $(CPPFLAGS) -E -dM - | \
		LC_ALL=C sed -n 's/^#define __NR_\([a-z0-9_]*\) .*/\t{ __NR_\1, "\1" },/p' | grep -v '__NR_syscalls,' | \
		LC_ALL=C sort; \
	   echo '}, error_list[] = {'; \
	   echo '#include <errno.h>' | $(CC) $(CPPFLAGS) -E -dM - | \
		LC_ALL=C sed -n 's/^#define \(E[A-Z0-9]*\) [0-9][0-9]*$$/\t{ \1, "\1" },/p' | LC_ALL=C sort; \
	   echo '};'; } > $@

$(B)/decode/intervals/callnames.o: $(B)/calls.h
$(B)/decode/intervals/callnames.o: private COMPILE += -I$(B)

# What --version prints.
quoted = '"$(if $(1), $(1))"'
$(B)/decode/options/help.o: private COMPILE += -DLIBRARIES_FOUND=$(call quoted,$(filter $(USED),$(LIBRARIES))) \
                                       -DLIBRARIES_MISSING=$(call quoted,$(filter-out $(USED),$(LIBRARIES)))

.SECONDEXPANSION:
$(B)/%.o: %.c $(B)/flags | $$(@D)/.
	$(call say,CC)
	$(Q)$(COMPILE) $(if $(filter tests/%,$<),,$(FRAMES)) -MMD -MP -c $< -o $@

# A folder is made once, not for each file.
%/.:
	@mkdir -p $@
.PRECIOUS: %/.

# Rewritten only when the command changes, so that everything is built again then.
$(B)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(COMPILE)' | cmp -s - $@ || echo '$(COMPILE)' > $@

-include $(wildcard $(B)/*.d $(B)/*/*.d $(B)/*/*/*.d)
-include tests/tests.mk

# README.md, and what it links to, at the same places beside it.
DOCS := README.md NEWS.md CONTRIBUTING.md LICENSE $(sort $(wildcard */README.md decode/*/README.md samples/*.svg samples/*.png)) \
        tests/bench/README.md decode/run/FLEET.md

install: $(if $(filter build/plain build/plain-without,$(B)),readperf,$(B)/readperf)
	install -d $(DESTDIR)$(prefix)/bin
	install -m 755 readperf $(DESTDIR)$(prefix)/bin/readperf
	for doc in $(DOCS); do install -D -m 644 $$doc $(DESTDIR)$(docdir)/$$doc || exit 1; done
	install -d $(DESTDIR)$(man1dir) $(foreach shell,bash zsh fish,$(DESTDIR)$($(shell)dir))
	./readperf --generate=man >$(DESTDIR)$(man1dir)/readperf.1
	./readperf --generate=bash >$(DESTDIR)$(bashdir)/readperf
	./readperf --generate=zsh >$(DESTDIR)$(zshdir)/_readperf
	./readperf --generate=fish >$(DESTDIR)$(fishdir)/readperf.fish

uninstall:
	rm -f $(DESTDIR)$(man1dir)/readperf.1 $(DESTDIR)$(bashdir)/readperf $(DESTDIR)$(zshdir)/_readperf $(DESTDIR)$(fishdir)/readperf.fish
	rm -f $(DESTDIR)$(prefix)/bin/readperf $(addprefix $(DESTDIR)$(docdir)/,$(DOCS))
	-[ ! -d $(DESTDIR)$(docdir) ] || find $(DESTDIR)$(docdir) -depth -type d -exec rmdir {} +

# A tarball of what is committed, the same bytes whenever and wherever it is made.
SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null)
DIST := readperf-$(VERSION)
dist:
	@git rev-parse --git-dir >/dev/null 2>&1 || { echo 'make dist: not a checkout of git' >&2; exit 1; }
	@mkdir -p build/dist
	@git ls-files -z | LC_ALL=C sort -z | LC_ALL=C tar --no-recursion --format=ustar --null \
		--mtime=@$(SOURCE_DATE_EPOCH) --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw,a-s \
		--transform='s,^,$(DIST)/,' --files-from=- -cf - | gzip -9n >build/dist/$(DIST).tar.gz
	@cd build/dist && sha256sum $(DIST).tar.gz >SHA256SUMS && cat SHA256SUMS

clean:
	rm -rf build readperf

help:
	@echo 'make            builds ./readperf'
	@echo 'make check      tests; check-all adds the slow tests; check-unit, check-cases, check-live, check-fuzz run a part'
	@echo 'make bench      times readperf against perf and others; SIZE=0.1 is quick'
	@echo 'make fuzz       fuzzes every reader of foreign bytes with clang; TIME=60 seconds in all'
	@echo 'make install    copies readperf to $$(DESTDIR)$$(prefix)/bin; prefix is $(prefix)'
	@echo 'make uninstall  removes what install copied'
	@echo 'make dist       a tarball of what is committed, and its SHA256SUMS, in build/dist'
	@echo 'make clean      removes what was built'
	@echo 'CC=clang, CFLAGS=..., SAN=address,undefined, DEV=1 (warnings are errors),'
	@echo 'WITHOUT="libzstd zlib ..." or WITHOUT=all (no optional libraries), V=1 (whole commands),'
	@echo 'STATIC=1 (one file without libraries, in build/static)'

.PHONY: all check bench dist install uninstall clean help fuzz FORCE
FORCE:
