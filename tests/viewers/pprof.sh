#!/bin/sh
# The real pprof (go tool pprof) shows the same of prof's profiles as prof's table and folded stacks, and prof reads what Go wrote.
. "$(dirname "$0")/../lib.sh"
need go golang-go
export HOME="$PWD" PPROF_TMPDIR="$PWD" GOCACHE="$T/go-cache" GOFLAGS=
pprof() { go tool pprof -symbolize=none "$@" 2>pprof.err; }
# Its traces as folded stacks, without the marks of inlined functions; $1: the label that stands at the root.
folded() {
	awk -v label="$1" '
	function done() { if (stack != "") sum[root stack] += n; stack = root = ""; n = -1 }
	/^-+\+-+$/ { done(); on = 1; next }
	!on { next }
	n < 0 && $1 == label ":" { root = $0; sub(/^ *[^:]*:  /, "", root); next }
	n < 0 && $1 ~ /:$/ { next }
	n < 0 { n = $1; sub(/^ *[^ ]+ +/, "") }
	{ sub(/^ +/, ""); sub(/ \(inline\)$/, ""); gsub(/;/, ":"); stack = ";" $0 stack }
	END { done(); for (s in sum) print s, sum[s] }' | sort
}
plain() { sed 's/_\[i\]\(;\| [0-9]*$\)/\1/g' "$1" | awk '{ n = $NF; sub(/ [0-9]+$/, ""); sum[$0] += n } END { for (s in sum) print s, sum[s] }' | sort; }

program=$(program demo) || { not_ok build "the program does not compile"; exit 1; }
"$PROF" -q --threads -o a.pb -o a.pb.gz -o a.pprof -o a.folded -o a.txt "$program" >out 2>err
check packed "$(head -c 2 a.pb.gz | od -An -tx1 | tr -d ' ')" = 1f8b
gzip -dc a.pb.gz | cmp -s - a.pb && cmp -s a.pb a.pprof && ok the-same-packed || not_ok the-same-packed "a.pb.gz is not a.pb"

# thread labels are "comm pid/tid", the roots of --threads comm-pid/tid
pprof -traces -sample_index=samples a.pb | folded thread | sed 's|^\([^;]*\) \([0-9]*/[0-9]*\);|\1-\2;|' | sort >traces
plain a.folded >stacks
cmp -s traces stacks && ok traces || { diff traces stacks >differ; not_ok traces "the stacks are others" differ pprof.err; }

# Every function's own time and its total, in samples.
pprof -top -sample_index=samples -nodecount=100000 -nodefraction=0 a.pb.gz |
	awk 'on { name = $0; for (i = 0; i < 5; i++) sub(/^ *[^ ]+ +/, "", name); sub(/ \((partial-)?inline\)$/, "", name); print $1, $4, name }
	/flat +flat%/ { on = 1 }' | sort >top
awk '{ n = $NF; sub(/ [0-9]+$/, ""); depth = split($0, f, ";"); self[f[depth]] += n
	for (i = 2; i <= depth; i++) if (last[f[i]] != NR) { total[f[i]] += n; last[f[i]] = NR } }
	END { for (name in total) print self[name] + 0, total[name], name }' stacks | sort >functions
cmp -s top functions && ok top || { diff top functions >differ; not_ok top "other functions or times" differ pprof.err; }

# The table says the same in seconds.
awk 'NR == FNR { name = $0; sub(/^[^ ]+ [^ ]+ /, "", name); self[name] = $1; next }
	/^ +self +total/ { on = 1; next }
	on && !NF { exit }
	on { unit = $2 == "ms" ? 1000 : 1; name = $8; for (i = 9; i <= NF; i++) name = name " " $i; sub(/_\[i\]$/, "", name)
		table[name] += $1 / unit; rows++ }
	END { for (name in table) if ((d = table[name] * 999 - self[name]) > 1 || d < -1) { print name, table[name], self[name]; bad = 1 }
		exit bad || rows < 5 }' top a.txt >differ && ok table || not_ok table "the table has other times" differ a.txt

pprof -tags -sample_index=samples a.pb | awk '$1 == "thread:" { on = 1; next } on && !NF { exit }
	on { n = $1; sub(/^[^:]*: /, ""); print $0, n + 0 }' | sort >tags
awk '{ n = $NF; sub(/;.*/, ""); sub(/-[0-9]+\/[0-9]+$/, " &"); sub(/ -/, " "); sum[$0] += n } END { for (s in sum) print s, sum[s] }' \
	stacks | sort >threads
cmp -s tags threads && ok tags || not_ok tags "the threads are others" tags threads pprof.err
pprof -tags a.pb >tags.all
for label in comm pid tid; do has "tag-$label" tags.all "^ *$label: Total"; done

pprof -peek '^fibonacci$' -sample_index=samples a.pb | awk '/\| +fibonacci$/ && $4 != "|" { exit } / \| / { print $1, $NF }' | sort >callers
awk '{ n = $NF; sub(/ [0-9]+$/, ""); depth = split($0, f, ";"); delete seen
	for (i = 3; i <= depth; i++) if (f[i] == "fibonacci" && f[i - 1] != f[i] && !seen[f[i - 1]]++) sum[f[i - 1]] += n }
	END { for (name in sum) print sum[name], name }' stacks | sort >want
cmp -s callers want && ok peek || not_ok peek "other callers" callers want pprof.err

# The inlined functions, with their lines and files.
pprof -raw a.pb >a.raw
has mappings a.raw "^ *[0-9]+: 0x0/0x0/0x0 .*/demo .*\[FN\]\[FL\]\[LN\]\[IN\]"
pprof -comments a.pb >comments
has comments comments "^command: .*demo"

# Go's own profiles: pprof and prof read the same stacks, also after prof has written them again.
if go build -o "$T/bin/gowork" "$TESTS/programs/gowork.go" 2>build.err && "$T/bin/gowork" .; then
	pprof -traces -sample_index=samples cpu.pb.gz | folded none | sed 's/^/gowork/' | sort >traces
	"$PROF" report -o go.folded cpu.pb.gz 2>err
	plain go.folded >stacks
	show="err stacks" check go-cpu "$(wc -l <stacks)" -gt 3
	cmp -s traces stacks && ok go-stacks || { diff traces stacks >differ; not_ok go-stacks "the stacks are others" differ err pprof.err; }
	"$PROF" report -o again.pb.gz cpu.pb.gz 2>err && pprof -traces -sample_index=samples again.pb.gz | folded none |
		sed 's/^/gowork/' | sort >again
	cmp -s traces again && ok go-round-trip || { diff traces again >differ; not_ok go-round-trip "other stacks" differ err pprof.err; }
	"$PROF" report cpu.pb.gz >cpu.txt 2>err
	has go-time cpu.txt '^[0-9.]+ m?s on CPU \(cpu\) in [0-9,]+ samples'
	"$PROF" report heap.pb.gz >heap.txt 2>err
	has go-heap heap.txt 'inuse_space \(bytes\)'
else
	not_ok go "Go's program does not compile or run" build.err
fi
exit "$failed"
