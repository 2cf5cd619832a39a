#!/bin/sh
# On a narrow terminal no line is wider than the terminal, and prof cuts the name of the hottest function last. Terminals that show
# only ASCII get only ASCII.
. "$(dirname "$0")/../lib.sh"
need_terminal
export PROF

hot=a_function_of_thirty_character
{
	echo "application;main;$hot;leaf_[k] 5000"
	echo "application;main;$hot 90000"
	for i in 1 2 3 4 5 6 7 8; do echo "application;main;run;branch_$i;deeper;deeper_still;and_on;and_on_and_on_$i;end_$i;last 2000"; done
	echo "application;main;größer 100"
} >a.folded
sed 's/90000/80000/' a.folded >b.folded
"$PROF" report -q a.folded -o a.pb -o a.html
# What COMMAND shows on a terminal of 50 columns, without colours: by column, not by byte.
widest() { LC_ALL=C tr -d '\200-\277' <"$1" | awk '{ gsub(/\033\[[0-9;]*m/, ""); gsub(/\r/, ""); if (length($0) > most) most = length($0) } END { print most + 0 }'; }
on() { columns=$1; shift; LC_ALL=C.UTF-8 script -qec "stty cols $columns; $*" /dev/null >seen 2>&1; }
for what in 'report a.folded' 'report a.folded --tree' 'report a.folded --by comm' "report a.folded --callers last" 'diff b.folded a.folded'; do
	name=$(echo "$what" | sed 's/ [ab][.a-z]*//g; s/--//' | tr ' ' '-')
	for columns in 50 80; do
		on $columns "\$PROF $what"
		check "$name-$columns" "$(wc -l <seen)" -ge 4 -a "$(widest seen)" -le $columns
	done
done
on 50 '$PROF report a.folded'
has hottest-whole seen "$hot"
head -n 4 seen >first
has no-second-figure first '^.{0,9}self +function'
on 80 '$PROF report a.folded'
has second-figure seen 'self .*total .*function'
head -n 6 seen >first
lacks bars first '█'
on 120 '$PROF report a.folded'
has bars-where-there-is-room seen '█'
on 50 '$PROF diff b.folded a.folded'
has diff-name seen "$hot"

# By bytes: what is beyond 0x7e.
beyond() { LC_ALL=C tr -d '\000-\176' <"$1" | wc -c; }
for how in TERM=dumb LC_ALL=C LC_ALL=POSIX; do
	for what in 'report a.folded' 'report a.folded --tree' 'diff b.folded a.folded'; do
		on 120 "env $how \$PROF $what"
		check "ascii-$how-$(echo "$what" | tr -cd a-z)" "$(wc -l <seen)" -ge 5 -a "$(beyond seen)" = 0
	done
done
on 120 'env LC_ALL=C.UTF-8 TERM=xterm $PROF report a.folded --tree'
check not-ascii "$(beyond seen)" -gt 0
on 120 'env LC_ALL=C TERM=xterm $PROF report a.folded --tree'
has ascii-tree seen '\|-.*run|`-.*run|\|- '
busy=$(program busy) && export busy
on 120 'env LC_ALL=C TERM=xterm $PROF -o x.folded -- $busy cpu 0.2'
check ascii-record "$(beyond seen)" = 0 -a "$(wc -l <seen)" -ge 8
