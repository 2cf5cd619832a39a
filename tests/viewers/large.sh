#!/bin/sh
# A million samples, slow-changing or near-random: prof's page opens and draws them quickly, and speedscope still loads them.
. "$(dirname "$0")/../lib.sh"
[ "${CI:-}" = true ] || [ "${LARGE:-}" ] || { skip '' "takes two minutes and 4 GiB: LARGE=1 runs it"; exit 0; }
. "$TESTS/viewers/packages"
./make profiles html speedscope || exit 1
node html.mjs large profiles || failed=1
node speedscope.mjs large profiles || failed=1
exit "$failed"
