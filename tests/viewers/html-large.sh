#!/bin/sh
# A page of a million samples: how long it takes to open and to draw.
. "$(dirname "$0")/../lib.sh"
[ "${CI:-}" = true ] || [ "${LARGE:-}" ] || { skip '' "takes a minute and 2 GiB: LARGE=1 runs it"; exit 0; }
. "$TESTS/viewers/packages"
./make profiles html && node html.mjs large profiles
