# prof: `make` builds ./prof, static against musl.  O: objects go there.  BIN: the program's file.
# make ARCH=aarch64 | armv7 | riscv64 | x86_64 | i686 builds it for that machine, into build/ARCH; make cross for all of them.
# make CC=clang | OPT=-O2 | WERROR=1;  demo check size install dist clean bench bench-quick fuzz boards.
VERSION = 0.1
PREFIX  = /usr/local
# The second opinion; 0 leaves it out.
LIBUNWIND = 1
ARCHS   = aarch64 armv7 riscv64 x86_64 i686
O       = build$(ARCH:%=/%)
BIN     = $(if $(ARCH),$O/)prof

triple_armv7 = arm-linux-gnueabihf
ifneq ($(ARCH),)
$(if $(filter $(ARCH),$(ARCHS)),,$(error ARCH is one of $(ARCHS)))
ifeq ($(origin CC),default)
CC = $(or $(triple_$(ARCH)),$(ARCH)-linux-gnu)-gcc
endif
endif

# A compiler for musl is taken as it is; any other (cc, gcc, clang) is pointed at musl by ci/musl-cc: the system's, or for
# another machine one that ci/musl builds.
TARGET := $(subst -pc-,-,$(subst -unknown-,-,$(shell $(CC) -dumpmachine 2>/dev/null)))
$(if $(TARGET),,$(error there is no $(CC): ci/setup $(if $(ARCH),cross,build) installs what is missing))
machine = $(firstword $(subst -, ,$1))
foreign := $(filter-out $(call machine,$(shell cc -dumpmachine 2>/dev/null)),$(call machine,$(TARGET)))
musl   := $(if $(findstring musl,$(CC) $(TARGET)),,$(if $(foreign),$O/musl/bin/)musl-gcc)
MUSL   := $(if $(musl),ci/musl-cc $(musl)) $(CC)

# The smallest code that the compiler knows how to make, as far as it knows the words for it.
can   = $(shell $(CC) -Werror $1 -c -o /dev/null -x c /dev/null 2>/dev/null && echo $1)
small = $(foreach f,jump-tables inline-functions-called-once reorder-blocks move-loop-invariants tree-loop-im tree-pre \
	code-hoisting tree-sra caller-saves tree-dominator-opts,$(call can,-fno-$f)) \
	$(if $(TARGET:i%86-linux-gnu=),$(call can,-mgeneral-regs-only)) $(call can,-malign-data=abi)
OPT  := $(or $(call can,-Oz),-Os) $(small)
WARN    = -Wall -Wextra -Wshadow -Wconversion -Wpedantic $(if $(WERROR),-Werror)
CFLAGS  = -g
SHAPE   = -fno-pie -fno-asynchronous-unwind-tables -fno-unwind-tables -fno-stack-protector -ffunction-sections -fdata-sections
ALL     = -std=c11 -D_GNU_SOURCE -DPROF_VERSION='"$(VERSION)"' $(WARN) $(SHAPE) -iquote . -idirafter $O/include -MMD -MP $(CFLAGS)
# No pages of padding: neither between code and data nor before what is read-only once relocated.
LDFLAGS = -static -no-pie -Wl,--gc-sections,--build-id=none,-z,noseparate-code,-z,norelro,-z,common-page-size=64

# Only unwind/cfi/second_opinion.c knows it, whose flags do not hold for its headers.
unwind := $(if $(filter-out 0,$(LIBUNWIND)),$O/libunwind/libunwind.a)
ALL    += $(if $(unwind),-DLIBUNWIND)
$O/unwind/cfi/second_opinion.o: CFLAGS += $(if $(unwind),$(patsubst %,-isystem $O/libunwind/include%,/ /tdep))

src := prof.c $(sort $(shell find lib sym unwind sample out cmd -name '*.c'))
obj  = $(src:%.c=$O/%.o) $O/out/format/pages_xz.o

# What runs for every sample is worth its bytes.
hot  = unwind/unwind.c $(addprefix unwind/arch/,x86_64.c x86_insn.c x86_quick.c) $(addprefix unwind/derive/,derive.c from_start.c flow.c) \
	unwind/cfi/cfi_brief.c sample/events/ring.c sample/events/record.c lib/cursor.c lib/codec/inflate.c \
	$(addprefix out/profile/,profile.c tree.c timeline.c) sym/module/code.c sym/module/ehframe.c sym/kernel/kallsyms_tables.c \
	$(addprefix sym/dwarf/,abbrev.c form.c function.c inline.c line.c range.c)
$(hot:%.c=$O/%.o): OPT = -O2 $(foreach f,functions loops jumps labels,$(call can,-fno-align-$f))
# What asks and tells is cold: there not even a test is worth having twice.
cold := $(call can,-fno-thread-jumps)
$O/cmd/%.o $O/sample/%.o: OPT += $(cold)
# What stands in for libc's functions must not be turned into calls of them.
$O/lib/libc/heap.o $O/lib/libc/bytes.o: CFLAGS += -fno-builtin $(call can,-fno-tree-loop-distribute-patterns)

$(BIN): $(obj) $(unwind)
	$(MUSL) $(LDFLAGS) -Wl,-Map=$O/prof.map -o $@ $(obj) $(unwind)

$O/%.o: %.c $O/flags | $O/include $(filter $O/%,$(musl))
	@mkdir -p $(@D)
	$(MUSL) $(OPT) $(ALL) -c -o $@ $<

# What .html and .svg files carry, packed, as C.
$O/out/format/pages_xz.c: out/format/embed $(wildcard out/format/html/page/* out/format/svg/page/*)
	@mkdir -p $(@D)
	out/format/embed >$@.new
	@mv $@.new $@
$O/out/format/pages_xz.o: $O/out/format/pages_xz.c $O/flags | $(filter $O/%,$(musl))
	$(MUSL) $(OPT) $(ALL) -I. -c -o $@ $<

# Other flags than last time: everything is built again.
flags = $(MUSL) $(OPT) $(ALL) $(LDFLAGS) hot: $(hot) cold: $(cold)
$O/flags: FORCE
	@mkdir -p $O; echo '$(flags)' | cmp -s - $@ || echo '$(flags)' >$@

# musl's own path has no kernel headers: just these three, and never another machine's.
headers = /usr/$(TARGET)/include /usr/include/$(TARGET) /usr/include/$(TARGET:i%86-linux-gnu=i386-linux-gnu) $(if $(foreign),,/usr/include)
$O/include:
	@mkdir -p $@
	@for d in linux asm asm-generic; do for h in $(headers); do [ ! -e $$h/$$d ] || { ln -sf $$h/$$d $@; break; }; done; done

$O/libunwind/libunwind.a: ci/libunwind $O/flags | $(filter $O/%,$(musl))
	ci/libunwind $O/libunwind $(MUSL) $(filter-out -mgeneral-regs-only,$(OPT)) $(SHAPE)
	@touch -c $@
$O/unwind/cfi/second_opinion.o: | $(unwind)

$O/musl/bin/musl-gcc: ci/musl
	ci/musl $(TARGET) $(CC) $O/musl
	@touch -c $@

# For tests: all but main and what stands in for libc.
$O/all.a: $(filter-out $(addprefix $O/,prof.o lib/libc/heap.o lib/libc/bytes.o lib/print.o),$(obj)) $(unwind)
	rm -f $@
	$(shell $(CC) -print-prog-name=ar) rcs $@ $(filter %.o,$^) $(if $(unwind),$O/libunwind/o/*.o)

$O/prof.stripped: $(BIN)
	$(shell $(CC) -print-prog-name=strip) -R .comment -o $@ $(BIN)
size: $O/prof.stripped
	@ci/size $O/prof.map $O/prof.stripped
install: $O/prof.stripped
	mkdir -p $(DESTDIR)$(PREFIX)/bin
	cp $O/prof.stripped $(DESTDIR)$(PREFIX)/bin/prof
# For every machine, or those in ARCHS; for this one what was built here.
host := $(or $(ARCH),$(patsubst arm%,armv7,$(call machine,$(TARGET))))
dist: $(ARCHS:%=dist-%)
dist-$(host): $O/prof.stripped
	ci/dist $< $O/dist prof-$(VERSION)-$(host)
dist-%:
	$(MAKE) ARCH=$* O=build/$* BIN=build/$*/prof build/$*/prof.stripped
	ci/dist build/$*/prof.stripped $O/dist prof-$(VERSION)-$*
cross: $(ARCHS:%=cross-%)
cross-%:
	$(MAKE) ARCH=$*
demo check fuzz boards:
	ci/$@
bench bench-quick: $(BIN)
	tests/bench/run $(if $(filter %-quick,$@),--quick)
	tests/bench/oracle $(if $(filter %-quick,$@),-n 100)
clean:
	rm -rf $O $(BIN) demo.html demo.json demo.folded

-include $(obj:.o=.d)
.PHONY: size install dist cross demo check fuzz boards bench bench-quick clean FORCE
