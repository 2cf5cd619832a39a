# prof: `make` builds ./prof, static against musl.  O: objects go there.  BIN: the program's file.
# make ARCH=aarch64 | armv7 | riscv64 | x86_64 | i686 builds it for that machine, into build/ARCH; make cross for all of them.
# make CC=clang | OPT=-O2 | WERROR=1;  demo check size install dist clean bench bench-quick fuzz boards.
VERSION   = 0.3
PREFIX    = /usr/local
# The second opinion; 0 leaves it out.
LIBUNWIND = 1
ARCHS     = aarch64 armv7 riscv64 x86_64 i686
O         = build$(ARCH:%=/%)
BIN       = $(if $(ARCH),$O/)prof

ifneq ($(ARCH),)
$(if $(filter $(ARCH),$(ARCHS)),,$(error ARCH is one of $(ARCHS)))
ifeq ($(origin CC),default)
CC = $(if $(filter armv7,$(ARCH)),arm-linux-gnueabihf,$(ARCH)-linux-gnu)-gcc
endif
endif
# CC, pointed at musl.
MUSL = $O/cc

# -Os for what asks and tells, FAST for what runs for each sample, name or byte.  gcc's order of blocks and its alignment, which
# are left out, cost 17 KB on aarch64, and were not faster.
OPT     = -Os
FAST    = -O2 $(if $(findstring clang,$(CC)),,-freorder-blocks-algorithm=simple -fno-align-functions -fno-align-jumps -fno-align-loops)
hot     = $(addprefix lib/,codec/% columns.c cursor.c histogram.c index.c libc/% lines.c mem.c name_store.c sink.c sort.c text.c work.c) \
          $(addprefix sym/dwarf/,abbrev.c ahead.c disjoint_ranges.c form.c function.c inline.c line.c range.c unit%) \
          $(addprefix sym/,elf/symbol_tables.c jit/perfmap.c language/look.c language/merge.c language/python.c name.c) \
          $(addprefix sym/module/,code.c ehframe.c space.c symbol.c symtab.c) \
          $(addprefix unwind/,arch/% chain.c cfi/cfi.c cfi/cfi_brief.c cfi/memory.c derive/% entry.c jumped_frame.c rule.c slow.c step.c step_bare.c step_link.c unwind.c verify.c) \
          $(addprefix sample/events/,deep_stack.c record.c ring.c switch_event.c) \
          $(addprefix out/,format/folded_read.c format/svg/svg_text.c profile/profile.c profile/timeline.c profile/tree.c)
WARN    = -Wall -Wextra -Wshadow -Wconversion -Wpedantic $(if $(WERROR),-Werror)
CFLAGS  = -g
SHAPE   = -fno-pie -fstack-protector -fno-asynchronous-unwind-tables -fno-unwind-tables -ffunction-sections -fdata-sections \
          $(if $(filter i686,$(ARCH)),-mpreferred-stack-boundary=2)
ALL     = -std=c11 -D_GNU_SOURCE -DPROF_VERSION='"$(VERSION)"' $(WARN) $(SHAPE) -iquote . -MMD -MP $(CFLAGS) $(if $(unwind),-DLIBUNWIND)
# i386's ABI aligns stacks to 4 bytes; 16, as gcc has it, cost 29 KB.
# In a static program nobody would make relro's pages read-only, and to align them costs 60 KB on aarch64.
LDFLAGS = -static -no-pie -Wl,--gc-sections,--build-id=none,-z,norelro

src   := prof.c $(sort $(shell find lib sym unwind sample out cmd -name '*.c'))
obj    = $(src:%.c=$O/%.o) $O/out/format/pages_xz.o $O/sample/events/syscall_text.o
unwind = $(if $(filter-out 0,$(LIBUNWIND)),$O/libunwind/libunwind.a)
$(patsubst %.c,$O/%.o,$(filter $(hot),$(src))): private OPT = $(FAST)
# What stands in for libc's functions must not be turned into calls of them.
$O/lib/libc/%.o: CFLAGS += -fno-builtin
$O/unwind/cfi/second_opinion.o: CFLAGS += $(if $(unwind),$(patsubst %,-isystem $O/libunwind/include%,/ /tdep))

$(BIN): $(obj) $(unwind)
	$(MUSL) $(LDFLAGS) -Wl,-Map=$O/prof.map -o $@ $(obj) $(unwind)
$O/unwind/cfi/second_opinion.o: | $(unwind)
$O/%.o: %.c $O/flags | $(filter $O/cc,$(MUSL))
	@mkdir -p $(@D)
	$(MUSL) $(OPT) $(ALL) -c -o $@ $<
$O/%.o: $O/%.c $O/flags | $(filter $O/cc,$(MUSL))
	$(MUSL) $(OPT) $(ALL) -c -o $@ $<
# What .html and .svg files carry, packed, as C.
$O/out/format/pages_xz.c: out/format/embed $(wildcard out/format/html/page/* out/format/svg/page/*)
	@mkdir -p $(@D)
	out/format/embed >$@.new && mv $@.new $@
# Names of system calls by number, as the compiler's headers have them.
$O/sample/events/syscall_text.c: sample/events/syscall_text $O/flags | $(filter $O/cc,$(MUSL))
	@mkdir -p $(@D)
	sample/events/syscall_text $(MUSL) >$@.new && mv $@.new $@

# Which commit: only `prof version -v` is built again where that is another one.
$O/cmd/version.o: private ALL += -DPROF_COMMIT='"$(shell cat $O/commit)"'
$O/cmd/version.o: $O/commit
$O/commit: FORCE
	@mkdir -p $O; c=$$(ci/commit) && echo "$$c" | cmp -s - $@ || echo "$$c" >$@

# Other flags than last time: everything is built again.
flags = $(CC) $(MUSL) $(OPT) $(FAST) $(ALL) $(LDFLAGS) $(hot)
$O/flags: FORCE
	@mkdir -p $O; echo '$(flags)' | cmp -s - $@ || echo '$(flags)' >$@
$O/cc: ci/compiler $O/flags
	ci/compiler $O '$(CC)' '$(headers)'
$O/musl/bin/musl-gcc: $O/cc ;
$O/libunwind/libunwind.a: ci/libunwind $O/flags | $(filter $O/cc,$(MUSL))
	ci/libunwind $O/libunwind $(MUSL) $(OPT) $(SHAPE)
	@touch -c $@
# For tests: all but main and what stands in for libc.
$O/all.a: $(filter-out $O/prof.o $O/lib/libc/%,$(obj)) $(unwind)
	rm -f $@
	$(shell $(CC) -print-prog-name=ar) rcs $@ $(filter %.o,$^) $(if $(unwind),$O/libunwind/o/*.o)

$O/prof.stripped: $(BIN)
	$(shell $(CC) -print-prog-name=strip) -R .comment -o $@ $(BIN)
size: $O/prof.stripped
	@ci/size $O/prof.map $O/prof.stripped
install: $O/prof.stripped
	ci/install $< $(VERSION) $(DESTDIR)$(PREFIX)
# For every machine, or those in ARCHS; for this one what was built here.
dist: $(ARCHS:%=dist-%)
	ci/dist --sums $O/dist $(VERSION)
dist-%: $(BIN)
	$(MAKE) $(if $(filter $*,$(host)),$O,ARCH=$* O=build/$* BIN=build/$*/prof build/$*)/prof.stripped
	PAGES=$(abspath $(BIN)) ci/dist $(if $(filter $*,$(host)),$O,build/$*)/prof.stripped $O/dist prof-$(VERSION)-$* $(VERSION)
host = $(or $(ARCH),$(patsubst arm%,armv7,$(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))))
cross: $(ARCHS:%=cross-%)
cross-%:
	$(MAKE) ARCH=$*
demo check fuzz boards bench:
	ci/$@
bench-quick:
	ci/bench --quick
clean:
	rm -rf $O $(BIN) demo.html demo.json demo.folded

-include $(obj:.o=.d)
.PHONY: size install dist cross demo check fuzz boards bench bench-quick clean FORCE
