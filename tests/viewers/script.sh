#!/bin/sh
# perf script's text in its readers: speedscope, the Firefox Profiler's loader, and the grammar of stackcollapse-perf.pl.
. "$(dirname "$0")/../lib.sh"
. "$TESTS/viewers/packages"
./make profiles && node script.mjs profiles
