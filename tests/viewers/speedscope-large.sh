#!/bin/sh
# A million samples stay loadable, slow-changing or near-random: the viewer takes a minute and gigabytes for it.
. "$(dirname "$0")/../lib.sh"
[ "${CI:-}" = true ] || [ "${LARGE:-}" ] || { skip '' "takes a minute or two and 4 GiB: LARGE=1 runs it"; exit 0; }
. "$TESTS/viewers/packages"
./make profiles speedscope && node speedscope.mjs large profiles
