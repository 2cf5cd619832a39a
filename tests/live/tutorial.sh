#!/bin/sh
# The worked examples of docs/events.md, line by line: each runs, and shows something.
. "$(dirname "$0")/../lib.sh"
need_root
cat >command <<'S'
#!/bin/sh
# What all examples look for: CPU time, new memory, opened files, large writes, switches.
dd if=/dev/zero of=written bs=65536 count=20 2>/dev/null
i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done
sleep 0.01
S
chmod 755 command
start sh -c 'while :; do cat /proc/self/stat >/dev/null; i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done; done'
n=0
sed -nE '/^## Worked examples/,/^## When/s/^    (prof .*[^ ]) +#.*/\1/p' "$TESTS/../docs/events.md" >lines
while IFS= read -r line; do
	n=$((n + 1))
	rm -f ./*.html
	echo "$line" | sed "s#^prof#'$PROF'#; s#COMMAND#./command#; s#PID#$pid#" >run
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
	*.html*)
		page=$(echo ./*.html)
		[ $status = 0 ] && [ -s "$page" ] && ! grep -q 'is empty' err && ok "$n" || not_ok "$n" "status $status of $line, or an empty profile" err ;;
	*) [ $status = 0 ] && grep -qE 'seconds time elapsed|^ +0\.[0-9]+ ' err && ok "$n" || not_ok "$n" "status $status of $line" err ;;
	esac
done <lines
check all-twenty "$n" = 20

# What the page says about counting: shorter, and those that have no end of their own are interrupted.
n=0
sed -nE '/^## Counting/,/^## Worked/s/^    (prof stat [^#]*[^# ]).*/\1/p' "$TESTS/../docs/events.md" | grep -v per-cgroup >lines   # live/stat has that one
while IFS= read -r line; do
	n=$((n + 1))
	rm -f counts.csv
	echo "$line" | sed "s#^prof#timeout -s INT 1 '$PROF'#; s#COMMAND#./command#; s#PID#$pid#; s#10s#300ms#; s#1000#200#" >run
	sh ./run >out 2>err </dev/null
	status=$?
	[ ! -e counts.csv ] || cat counts.csv >>err
	case $line in *-x*) wanted='^[1-9][0-9]*,,page-faults,' ;; *--json*) wanted='"[1-9][0-9.]*",.* "page-faults"' ;; *) wanted='(^| )[1-9][0-9,]* +page-faults' ;; esac
	case $status in 0 | 124) grep -qE -- "$wanted" err && ok "counting-$n" || not_ok "counting-$n" "no page faults by $line" err ;; *) not_ok "counting-$n" "status $status of $line" err ;; esac
done <lines
check all-seven "$n" = 7
exit $failed
