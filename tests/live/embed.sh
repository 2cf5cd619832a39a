#!/bin/sh
# --embed-source: a page holds the text of sampled lines, and annotate shows the same text when the sources are gone.
. "$(dirname "$0")/../lib.sh"
carried() { # FILE [FUNCTION]: the lines that annotate shows of it
	"$PROF" annotate --by line --context 50 --min 0 "$1" "${2:-hot}" >carried 2>&1
}
mkdir src
{
	printf '// top\nstatic volatile unsigned long sum;\n'
	for i in 3 4 5 6 7; do echo "// line $i is far away"; done
	echo; echo
	cat <<-'END'
	// six lines before the first that runs
	// five
	// four
	// three
	// two
	__attribute__((noinline)) void hot(void)
	{
		for (unsigned i = 0; i < 10000; i++)
			sum += i; // </script>
	}
	// crlf\r
	int main(void) { for (unsigned long i = 0; i < 100000000 && sum < 3000000000000; i++) hot(); }
	END
} >src/burn.c
awk 'NR == 12 { sub(/$/, "\r") } NR == 13 { while (length($0) < 900) $0 = $0 "x" } 1' src/burn.c >src/b && mv src/b src/burn.c
${CC:-cc} -O1 -g -o burn "$PWD/src/burn.c" || exit 1
status record 0 "$PROF" --embed-source -d 0.5 -o a.html -o a.pb ./burn
"$PROF" -q -d 0.5 -o plain.html ./burn
status report 0 "$PROF" report -q a.html -o again.html
status filtered 0 "$PROF" report -q --focus hot a.html -o focus.html
status late 0 "$PROF" report -q --embed-source a.pb -o late.html
mv src gone
for page in a again focus late; do
	carried $page.html
	has $page-carries carried '^ .* sum \+= i; // </script>$'
done
carried a.html
has around carried ' // four$'
has around-is-cut carried ' // threex{100}'
lacks no-further carried 'far away'
check cut "$(awk '{ if (length($0) > n) n = length($0) } END { print n }' carried)" -le 440
carried plain.html
lacks off-by-default carried 'sum|// '
# prof says what the page does not hold.
status gone 0 "$PROF" --embed-source -d 0.2 -o gone.html ./burn
has gone-is-told err 'prof could read none of the source files'
${CC:-cc} -O1 -static -o bare gone/burn.c || exit 1
status bare 0 "$PROF" --embed-source --call-graph none -e cpu-clock:u -d 0.2 -o bare.html ./bare
has bare-is-told err 'no sampled function has source lines; it needs debug information'
status no-page 125 "$PROF" --embed-source -o a.folded true
has no-page-says err '^prof: --embed-source: only \.html files hold source text; add -o FILE\.html$'
status report-no-page 125 "$PROF" report --embed-source a.html
# A file that is too large for a source file.
mv gone src
awk 'BEGIN { for (i = 0; i < 400000; i++) print "// one of very many lines, which make this file large" }' >>src/burn.c
status large 0 "$PROF" --embed-source -d 0.3 -o large.html ./burn
mv src gone
carried large.html
has too-large-is-told err 'prof could read none of the source files'
lacks too-large-a-file carried 'sum \+= i'
check size "$(stat -c %s large.html)" -lt 200000
exit $failed
