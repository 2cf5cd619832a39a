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
hot     = lib/% sym/% unwind/% sample/events/% out/%
cold    = $(addprefix sample/events/,cgroup% counters% cpu% event% growth% helper% kernel_function% lent% open% pressure% priority% probe% syscalls% thread_pointer% trace% watches%) \
          sym/language/calls.c sym/language/php.c sym/language/ruby.c $(addprefix sym/language/%_,code.c gil.c glue.c image.c lines.c object.c threads.c) sym/language/v8% sym/language/lasting.c sym/module/module.c sym/elf/plt.c sym/jit/jitcode.c sym/probe/% sym/demangle/dotted.c sym/demangle/dlang.c sym/jit/jit.c sym/jit/jit_frame.c sym/jit/jitdump% sym/jit/registered% sym/dwarf/entry% sym/module/debug% out/report/% \
          $(addprefix lib/,bpf% dir% nearest% progress% regex%) out/output% out/place% out/format/html/html.c out/format/html/html_shown.c out/format/html/html_read% out/format/speedscope/% $(addprefix out/format/svg/,flame% svg.c svg_color% svg_frames% svg_read%)
cold   += $(addprefix unwind/,hosted_frame.c jit_gap.c jumped_frame.c outermost.c exception_frame.c cfi/second_opinion.c cfi/row_mend.c cfi/expr.c cfi/exidx_row.c derive/sigreturn.c java.c called_function.c)
cold   += sample/events/deep_program.c $(addprefix sym/kernel/,asked_names.c bpf_names.c kcore.c kernel_file.c packed_module.c) sym/elf/exidx.c sym/dwarf/declared.c $(addprefix out/format/,format.c frame_text.c pprof/% script%) lib/msg.c lib/screen.c lib/asked_file.c lib/asked_map.c lib/filemap.c lib/touched.c lib/watchdog.c sym/kernel/kallsyms_tables.c out/profile/source_text.c out/profile/raw_address.c
cold   += out/profile/filter.c sym/kernel/kallsyms.c out/format/folded.c out/format/svg/svg_data.c sym/demangle/rust_v0.c sym/elf/elf.c sym/elf/go_table.c sym/dwarf/dwarf_file.c lib/codec/unpack.c sym/demangle/cxx_expr.c sym/demangle/rust.c sym/demangle/rust_const.c sym/demangle/rust_word.c out/profile/profile_names.c out/profile/merge.c lib/json.c
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
$(patsubst %.c,$O/%.o,$(filter-out $(cold),$(filter $(hot),$(src)))): private OPT = $(FAST)
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
flags = $(CC) $(MUSL) $(OPT) $(FAST) $(ALL) $(LDFLAGS) $(hot) $(cold)
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
