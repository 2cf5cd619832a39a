#!/bin/sh
# Flame graphs in a browser: as pictures that do not move, and with each interaction when somebody opens them.
. "$(dirname "$0")/../lib.sh"
. "$TESTS/viewers/packages"
./make profiles && node svg.mjs profiles
