#!/bin/sh
# Debug information may name any file as a source.  prof, run by root, does not read such a file with root's rights, and shows it to nobody.
. "$(dirname "$0")/../lib.sh"
need_root
need setpriv util-linux
nobody="setpriv --reuid=65533 --regid=65533 --clear-groups"
echo "root's secret line" >secret && chmod 600 secret
mkdir -m 755 tenant && mkdir -m 700 tenant/own && echo "the tenant's own line" >tenant/own/mine.c
source_of() { # FILE: a program that burns time in a function whose lines are those of FILE
	cat <<-END
	static volatile unsigned long sum;
	#line 1 "$1"
	__attribute__((noinline)) void hot(void) { for (unsigned i = 0; i < 10000; i++) sum += i; }
	#line 9 "main.c"
	int main(void) { for (;;) hot(); }
	END
}
build() { source_of "$2" >source.c && ${CC:-cc} -O1 -g -o "tenant/$1" source.c || exit 1; }
build evil "$work/secret"
build honest "$work/tenant/own/mine.c"
build device /dev/zero
mkfifo fifo && chmod 666 fifo && build fifoed "$work/fifo"
chown -R 65533:65533 tenant
$nobody tenant/evil & evil=$!
$nobody tenant/honest & honest=$!
$nobody tenant/device & device=$!
$nobody tenant/fifoed & fifoed=$!
finally "kill -9 $evil $honest $device $fifoed"
runs $evil evil && runs $honest honest && runs $device device && runs $fifoed fifoed

# Root attaches: prof shows what the target could read, and no more.  Only root may read what prof writes.
umask 022
status evil 0 timeout 60 "$PROF" annotate -q -p $evil -d 0.5 hot -o evil.txt
has evil-works evil.txt '^hot '
lacks evil-secret evil.txt "secret line"
check evil-mode "$(stat -c %a evil.txt)" = 600
status honest 0 timeout 60 "$PROF" annotate -q -p $honest -d 0.5 hot
has honest-source out "the tenant's own line"
for odd in $device $fifoed; do
	status odd 0 timeout 60 "$PROF" annotate -q -p $odd -d 0.3 hot
	has odd-works out '^hot '
done
# The whole system belongs to many users: prof reads their sources as anybody could.
status system 0 timeout 60 "$PROF" annotate -q -a -d 0.5 '^hot$' -o system.txt
lacks system-secret system.txt "secret line|tenant's own"
# Root may name a directory; prof reads below it, and nowhere else.
mkdir named && echo "a line that root chose" >named/mine.c
status named 0 timeout 60 "$PROF" annotate -q -p $honest -d 0.5 hot --source-dir named
has named-source out "a line that root chose"
ln -sf "$work/secret" named/mine.c
status named-link 0 timeout 60 "$PROF" annotate -q -p $honest -d 0.5 hot --source-dir named
lacks named-link-secret out "secret line"
# A profile from a file may come from anybody.
"$PROF" -q -o evil.pb -p $evil -d 0.5
status file 0 timeout 60 "$PROF" annotate evil.pb hot
has file-works out '^hot '
lacks file-secret out "secret line"
status file-sudo 0 env SUDO_UID=65533 SUDO_GID=65533 timeout 60 "$PROF" annotate evil.pb hot
lacks file-sudo-secret out "secret line"
"$PROF" -q -o honest.pb -p $honest -d 0.5
status file-caller 0 env SUDO_UID=65533 SUDO_GID=65533 timeout 60 "$PROF" annotate honest.pb hot
has file-caller-source out "the tenant's own line"

# A page carries no more than that (--embed-source).  annotate shows the sources that a page carries; it may not read these itself.
carried() { "$PROF" annotate --by line --context 50 "$1" hot >carried 2>&1; }
status embed-evil 0 timeout 60 "$PROF" -q --embed-source -p $evil -d 0.5 -o evil.html
carried evil.html
has embed-evil-works carried '^hot '
lacks embed-evil-secret carried "secret line"
check embed-mode "$(stat -c %a evil.html)" = 600
status embed-honest 0 timeout 60 "$PROF" -q --embed-source -p $honest -d 0.5 -o honest.html
carried honest.html
has embed-honest-source carried "the tenant's own line"
status embed-system 0 timeout 60 "$PROF" -q --embed-source -a -d 0.5 -o system.html
carried system.html
lacks embed-system-secret carried "secret line|tenant's own"
for odd in $device $fifoed; do
	status embed-odd 0 timeout 60 "$PROF" -q --embed-source -p $odd -d 0.3 -o odd.html
done
status embed-file 0 timeout 60 "$PROF" report -q --embed-source evil.pb -o file.html
carried file.html
lacks embed-file-secret carried "secret line"
# Pages are handed on.  So a page has nothing that only root may read, also if root runs the program.
printf 'root:secret line:1:0:99999:7:::\n' >shadow && chmod 640 shadow
shadowed() { # TEST SOURCE: a page of a program of root's, whose function's lines are those of SOURCE
	source_of "$2" >source.c && ${CC:-cc} -O1 -g -o shadowed source.c || exit 1
	./shadowed & shadowed=$!
	finally "kill -9 $shadowed"
	runs $shadowed shadowed
	status "$1" 0 timeout 60 "$PROF" -q --embed-source -p $shadowed -d 0.5 -o shadow.html
	kill -9 $shadowed
}
for name in "$work/shadow" /etc/shadow; do
	shadowed embed-shadow "$name"
	carried shadow.html
	has embed-shadow-works carried '^hot '
	lacks embed-shadow-secret carried "secret line|:[0-9]+:[0-9]+:"
done
chmod 644 shadow
shadowed embed-seen "$work/shadow"
mv shadow shadow.gone
carried shadow.html
has embed-else-it-would carried "secret line"
mv shadow.gone shadow

# prof parses it without rights, and the disassembler has none.
cat >asking <<'END'
#!/bin/sh
[ "$PAUSE" ] && sleep 1
printf '  %s:\tuid %s caps %s new %s nice %s signals %s foreign %s\n' "${4#*0x}" "$(id -u)" "$(sed -n 's/^CapPrm:.//p' /proc/self/status)" \
	"$(sed -n 's/^NoNewPrivs:.//p' /proc/self/status)" "$(nice)" "$(sed -n 's/^SigBlk:.//p' /proc/self/status)" "$(ls -l /proc/$$/fd | grep -cE 'socket|perf_event|bpf|\.txt|memfd')"
END
chmod 755 asking .
status asking 0 timeout 60 "$PROF" annotate -q -p $honest -d 0.3 hot --by address --min 0 --context 1000 --objdump "$work/asking"
has asking-alone out 'uid 65534 caps 0000000000000000 new 1 nice 0 signals 0000000000000000 foreign 1( |$)'
"$PROF" annotate -q -p $honest -d 2 hot >/dev/null 2>&1 & p=$!
wait_for 10 grep -q '^Seccomp:.*2' /proc/$p/status
grep -E '^(CapPrm|NoNewPrivs|Seccomp):' /proc/$p/status >status
has parsed-without status '^CapPrm:.0000000000000000$'
has parsed-filtered status '^Seccomp:.2$'
wait $p
printf '#!/bin/sh\nprintf "  %%s:\\tnop\\n" "${4#*0x}"\nexit 3\n' >failing
chmod 755 failing
status failing 0 timeout 60 "$PROF" annotate -q -p $honest -d 0.3 hot --objdump "$work/failing"
has failing-bytes out 'These are bytes, not instructions'
# If prof has lent rights, it reads the caller's files as the caller could.
need setcap libcap2-bin
if ! findmnt -no OPTIONS -T . | grep -q nosuid; then
	cp "$PROF" lent && setcap cap_perfmon,cap_sys_ptrace+ep lent
	status lent 0 $nobody timeout 60 ./lent annotate -q -p $honest -d 0.5 hot
	has lent-source out "the tenant's own line"
	status lent-evil 0 $nobody timeout 60 ./lent annotate -q -p $evil -d 0.5 hot
	lacks lent-evil-secret out "secret line"
fi
exit $failed
