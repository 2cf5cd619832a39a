#!/bin/sh
# The real speedscope shows known profiles correctly: its three views, the names, and the order of profiles.
. "$(dirname "$0")/../lib.sh"
. "$TESTS/viewers/packages"
./make profiles && node speedscope.mjs check profiles
