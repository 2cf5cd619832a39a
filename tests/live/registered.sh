#!/bin/sh
# Code that describes itself by GDB's JIT interface: a program of our own, LLVM's lli, qemu.
. "$(dirname "$0")/../lib.sh"

missing() { # COMMAND PACKAGE
	command -v "$1" >/dev/null 2>&1 && return 1
	if [ "${CI:-}" = true ]; then not_ok "$1" "no $1"; else skip "$1" "no $1: apt-get install $2"; fi
}
whole() { # FILE PERCENT
	check "${1%.json}-complete" $(($(field "$1" stacks_complete) * 100)) -ge $(($(field "$1" stacks) * $2))
}

# No instruction shows the way out of this code.
if [ "$(uname -m)" = x86_64 ]; then
	cc -O2 -w -pthread -o made "$TESTS/accuracy/programs/jit.c" || exit 1
	"$PROF" --stats own.json -F 999 -o own.folded -- ./made 1 3 2>err
	check own-names "$(samples own.folded ';m_jit[0-9]_[0-9]_sp')" -ge 100
	whole own.json 99
	lacks own-nothing-to-ask-for err 'that has no names'
	./made 20 3 &
	target=$!
	"$PROF" -q -d 1 -o attached.folded -p $target
	if ! missing gcore gdb; then
		for try in 1 2 3 4 5 6 7 8; do   # at some moments it runs other code, or changes its list
			gcore -o core $target >/dev/null 2>&1
			"$PROF" stack core.$target >core.txt 2>err
			grep -qE 'm_jit[0-9]_[0-9]_sp' core.txt && break
		done
		has core core.txt 'm_jit[0-9]_[0-9]_sp'
		check core-whole "$(grep -c truncated core.txt)" = 0
	fi
	kill $target
	check attached "$(samples attached.folded ';m_jit[0-9]_[0-9]_sp')" -ge 20
else
	skip own "its code is x86-64's"
fi

# LLVM would write a jitdump, too.
if ! missing lli llvm; then
	cat >spin.ll <<'END'
define i32 @spins(i32 %n) noinline {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %x = phi i32 [ %n, %entry ], [ %y, %loop ]
  %m = mul i32 %x, 1103515245
  %y = add i32 %m, 12345
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, 1000000
  br i1 %more, label %loop, label %done
done:
  ret i32 %y
}
define i32 @main() {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %x = phi i32 [ 1, %entry ], [ %y, %loop ]
  %y = call i32 @spins(i32 %x)
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, 1000
  br i1 %more, label %loop, label %done
done:
  %r = and i32 %y, 0
  ret i32 %r
}
END
	JITDUMPDIR=/dev/null "$PROF" --stats llvm.json -F 499 -o llvm.folded -- lli --jit-kind=mcjit spin.ll 2>err
	check llvm-names "$(samples llvm.folded ';main;spins$')" -ge 100
	whole llvm.json 97
fi

if ! missing qemu-system-x86_64 qemu-system-x86; then
	"$PROF" --stats qemu.json -F 999 -d 2 -o qemu.folded -- timeout 4 qemu-system-x86_64 -accel tcg -display none -serial none -monitor none \
		-nodefaults -m 64 2>err
	check qemu-names "$(samples qemu.folded ';code_gen_buffer')" -ge 10
	whole qemu.json 97
fi
