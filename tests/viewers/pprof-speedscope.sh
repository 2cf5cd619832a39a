#!/bin/sh
# The real speedscope also takes pprof's files, and both packed.
. "$(dirname "$0")/../lib.sh"
. "$TESTS/viewers/packages"
./make profiles
gzip -kf profiles/plain.pb profiles/plain.json
for file in plain.pb plain.pb.gz plain.json.gz; do
	if node speedscope.mjs load "profiles/$file" '' sandwich >load 2>&1 && grep -q hash_round load; then ok "$file"; else not_ok "$file" "it does not load" load; fi
done
exit "$failed"
