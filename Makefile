# prof: `make` builds ./prof, static against musl.  O: objects go there.  BIN: the program's file.
# make CC=clang | OPT=-O2 | WERROR=1;  demo check size install dist clean bench bench-quick fuzz.
VERSION = 0.1
PREFIX  = /usr/local
O       = build
BIN     = prof

# A compiler for musl is taken as it is; any other (cc, gcc, clang) is pointed at musl by ci/musl-cc.
TARGET := $(shell $(CC) -dumpmachine 2>/dev/null)
MUSL   := $(if $(findstring musl,$(CC) $(TARGET)),,ci/musl-cc) $(CC)

# The smallest code that the compiler knows how to make, as far as it knows the words for it.
can   = $(shell $(CC) -Werror $1 -c -o /dev/null -x c /dev/null 2>/dev/null && echo $1)
small = $(foreach f,jump-tables inline-functions-called-once reorder-blocks move-loop-invariants tree-loop-im tree-pre \
	code-hoisting,$(call can,-fno-$f)) $(call can,-mgeneral-regs-only)
OPT  := $(or $(call can,-Oz),-Os) $(small)
WARN    = -Wall -Wextra -Wshadow -Wconversion -Wpedantic $(if $(WERROR),-Werror)
CFLAGS  = -g
SHAPE   = -fno-pie -fno-asynchronous-unwind-tables -fno-stack-protector -ffunction-sections -fdata-sections
ALL     = -std=c11 -D_GNU_SOURCE -DPROF_VERSION='"$(VERSION)"' $(WARN) $(SHAPE) -idirafter $O/include -MMD -MP $(CFLAGS)
# No pages of padding: neither between code and data nor before what is read-only once relocated.
LDFLAGS = -static -no-pie -Wl,--gc-sections,--build-id=none,-z,noseparate-code,-z,norelro,-z,common-page-size=64

src := prof.c $(wildcard lib/*.c sym/*.c unwind/*.c sample/*.c out/*.c cmd/*.c)
obj  = $(src:%.c=$O/%.o) $O/out/pages_xz.o

# What runs for every sample is worth its bytes.
hot  = unwind/unwind.c sample/ring.c sample/record.c lib/cursor.c out/profile.c out/tree.c out/timeline.c sym/code.c sym/ehframe.c \
	$(addprefix sym/dwarf_,abbrev.c form.c function.c inline.c line.c range.c)
$(hot:%.c=$O/%.o): OPT = -O2 $(foreach f,functions loops jumps labels,$(call can,-fno-align-$f))
# What stands in for libc's functions must not be turned into calls of them.
$O/lib/heap.o $O/lib/libc.o: CFLAGS += -fno-builtin $(call can,-fno-tree-loop-distribute-patterns)

$(BIN): $(obj)
	$(MUSL) $(LDFLAGS) -Wl,-Map=$O/prof.map -o $@ $(obj)

$O/%.o: %.c $O/flags | $O/include
	@mkdir -p $(@D)
	$(MUSL) $(OPT) $(ALL) -c -o $@ $<

# What .html and .svg files carry, packed, as C.
$O/out/pages_xz.c: out/embed $(wildcard out/html/* out/svg/*)
	@mkdir -p $(@D)
	out/embed >$@.new
	@mv $@.new $@
$O/out/pages_xz.o: $O/out/pages_xz.c $O/flags
	$(MUSL) $(OPT) $(ALL) -I. -c -o $@ $<

# Other flags than last time: everything is built again.
flags = $(MUSL) $(OPT) $(ALL) $(LDFLAGS) hot: $(hot)
$O/flags: FORCE
	@mkdir -p $O; echo '$(flags)' | cmp -s - $@ || echo '$(flags)' >$@

# musl's own path has no kernel headers: just these three.
$O/include:
	@mkdir -p $@
	ln -sf $(foreach d,linux asm asm-generic,$(firstword $(wildcard /usr/include/$(subst -pc-,-,$(TARGET))/$d /usr/include/$d))) $@

# For tests: all but main and what stands in for libc.
$O/all.a: $(filter-out $(addprefix $O/,prof.o lib/heap.o lib/libc.o lib/print.o),$(obj))
	rm -f $@
	ar rcs $@ $^

$O/prof.stripped: $(BIN)
	strip -R .comment -o $@ $(BIN)
size: $O/prof.stripped
	@ci/size $O/prof.map $O/prof.stripped
install: $O/prof.stripped
	mkdir -p $(DESTDIR)$(PREFIX)/bin
	cp $O/prof.stripped $(DESTDIR)$(PREFIX)/bin/prof
dist: $O/prof.stripped
	ci/dist $O/prof.stripped $O/dist prof-$(VERSION)-$(firstword $(subst -, ,$(TARGET)))
demo check fuzz:
	ci/$@
bench bench-quick: $(BIN)
	tests/bench/run $(if $(filter %-quick,$@),--quick)
clean:
	rm -rf $O $(BIN) demo.html demo.json demo.folded

-include $(obj:.o=.d)
.PHONY: size install dist demo check fuzz bench bench-quick clean FORCE
