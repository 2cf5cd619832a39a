#!/bin/sh
# prof's own page in headless Chromium: each of its views, and all that can be done there.
. "$(dirname "$0")/../lib.sh"
. "$TESTS/viewers/packages"
./make profiles && node html.mjs check profiles
