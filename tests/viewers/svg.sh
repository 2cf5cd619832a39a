#!/bin/sh
# Flame graphs in a browser: still as pictures, and each interaction once they are opened.
. "$(dirname "$0")/../lib.sh"
. "$TESTS/viewers/packages"
./make profiles && node svg.mjs profiles
