#!/bin/sh
# What the real speedscope shows of profiles that are known: its three views, names, the order of profiles.
. "$(dirname "$0")/../lib.sh"
. "$TESTS/viewers/packages"
./make profiles && node speedscope.mjs check profiles
