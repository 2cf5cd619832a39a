#!/bin/sh
# The worked examples of docs/events.md, line by line: each runs, and its output is not empty.
. "$(dirname "$0")/../lib.sh"
need_root
counted=$(program counted) || exit 1
start sh -c 'while :; do cat /proc/self/stat >/dev/null; sleep 0.01; done'
n=0
sed -nE '/^## Worked examples/,/^## When/s/^    (prof .*[^ ]) +#.*/\1/p' "$TESTS/../docs/events.md" >lines
while IFS= read -r line; do
	n=$((n + 1))
	rm -f ./*.html
	echo "$line" | sed "s#^prof#'$PROF'#; s#COMMAND#'$counted'#; s#PID#$pid#" >run
	sh ./run >out 2>err </dev/null
	status=$?
	case $line in
	*cycles:u*)
		# Without a PMU prof must say so; boards/aarch64/tutorial-13 runs this example.
		if "$PROF" list cycles | grep -q '^  - cycles'; then
			[ $status = 125 ] && grep -q "no counter that can sample 'cycles:u'" err && ok "$n" || not_ok "$n" "status $status of $line" err
			continue
		fi ;;
	esac
	case $line in
	*.html*) page=$(echo ./*.html); [ $status = 0 ] && [ -s "$page" ] && ok "$n" || not_ok "$n" "status $status of $line" err ;;
	*) [ $status = 0 ] && grep -qE 'seconds time elapsed|^ +0\.[0-9]+ ' err && ok "$n" || not_ok "$n" "status $status of $line" err ;;
	esac
done <lines
check all-twenty "$n" = 20
exit $failed
