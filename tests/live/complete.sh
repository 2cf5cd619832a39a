#!/bin/sh
# How many stacks of real programs reach their root: tests/accuracy/complete has the workloads and what is wanted.
# alone: real programs, as fast as they run
. "$(dirname "$0")/../lib.sh"
"$TESTS/accuracy/complete" --test -s 1 recursion-10 recursion-50 recursion-200 recursion-2000 recursion-clang c++ threads cc1 python3.11 sqlite3 openssl qemu-user valgrind git-log busybox musl go rust node java 2>&1 | sed "s|^\(.*ok\) complete/|\1 $NAME/|; s|^skip complete/|skip $NAME/|"
