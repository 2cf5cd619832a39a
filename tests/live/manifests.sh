#!/bin/sh
# docs/containers.md: the tools that read its image, manifests and unit accept them, and prof accepts the command lines in them.
. "$(dirname "$0")/../lib.sh"
need_root
need python3 python3
python3 -c 'import yaml' 2>/dev/null || { [ "${CI:-}" = true ] && { not_ok need "no yaml"; exit 1; }; skip '' "no python3-yaml"; exit 0; }
doc=$TESTS/../docs/containers.md
python3 - "$doc" >said <<'P'
import json, re, sys, yaml
doc = open(sys.argv[1]).read()
blocks = re.findall(r"^```(\w+)\n(.*?)^```", doc, re.S | re.M)
found = {}
for kind, text in blocks:
    if kind == "yaml":
        y = yaml.safe_load(text)
        found[y.get("kind") or ("compose" if "services" in y else "?")] = y
    elif kind == "json":
        found["custom"] = json.loads(text)
    else:
        open(kind, "w").write(text)
caps = {"SYS_PTRACE", "PERFMON", "SYSLOG"}
words = open("words", "w")
def args(a): words.write("\n".join(a) + "\n\n")
def ok(name, true): print("ok" if true else "bad", name)
pod = found["Pod"]["spec"]
side = [c for c in pod["containers"] if c["name"] == "prof"][0]
ok("pod-shares", pod["shareProcessNamespace"] is True)
ok("pod-least", side["securityContext"]["capabilities"] == {"drop": ["ALL"], "add": ["SYS_PTRACE"]})
ok("pod-volumes", {m["name"] for m in side["volumeMounts"]} <= {v["name"] for v in pod["volumes"]})
args(side["args"])
node = found["DaemonSet"]["spec"]
ok("daemonset-selects", node["selector"]["matchLabels"] == node["template"]["metadata"]["labels"])
agent = node["template"]["spec"]["containers"][0]
ok("daemonset-host", node["template"]["spec"]["hostPID"] is True)
ok("daemonset-rights", set(agent["securityContext"]["capabilities"]["add"]) <= caps)
ok("daemonset-volumes", {m["name"] for m in agent["volumeMounts"]} <= {v["name"] for v in node["template"]["spec"]["volumes"]})
ok("daemonset-proc", any(m["mountPath"] == agent["args"][agent["args"].index("--proc-root") + 1] for m in agent["volumeMounts"]))
args(agent["args"])
service = found["compose"]["services"]["prof"]
ok("compose-pid", service["pid"].split(":")[1] in found["compose"]["services"])
ok("compose-rights", set(service["cap_add"]) <= caps)
args(service["command"])
ok("custom-rights", set(found["custom"]["securityContext"]["capabilities"]["add"]) <= caps)
for line in re.findall(r"^    kubectl debug (.*)", doc, re.M):
    open("kubectl", "w").write(line)
P
while read -r how name; do
	if [ "$how" = ok ]; then ok "$name"; else not_ok "$name" "not so" "$doc"; fi
done <said
check all-said "$(wc -l <said)" -ge 11

# The image holds exactly the files that its lines name.
mkdir image
cp "$PROF" prof
grep -qx 'FROM scratch' dockerfile && ok from-scratch || not_ok from-scratch "another base" dockerfile
sed -n 's/^COPY \([^ ]*\) \([^ ]*\)$/cp \1 image\2/p' dockerfile | sh
entry=$(sed -n 's/^ENTRYPOINT \["\(.*\)"\]$/\1/p' dockerfile)
check image-holds "$(cd image && find . -type f | tr '\n' ' ')" = './prof '
chroot image "$entry" version >out 2>err
has image-runs out '^prof '
busy=$(program busy -static) || exit 1
cp "$busy" image/busy
chroot image "$entry" -q -o - -- /busy cpu 0.2 >img.folded 2>err
check image-profiles "$(samples img.folded '^busy;.*main;cpu;burn;outer;middle;inner$')" -ge 100
rm image/busy

# prof accepts all of these command lines: it complains only of the target, which does not exist.
n=0
awk 'BEGIN { RS = ""; n = 0 } { print > ("words." n++) }' words
for f in words.*; do
	n=$((n + 1))
	set --
	while read -r word; do
		case $word in /out/*) word=$work/${word#/out/} ;; /host/proc) word=/proc ;; 60 | 3600 | 10) word=0.2 ;; nginx) word=prof-none ;; --wait) continue ;; esac
		set -- "$@" "$word"
	done <"$f"
	"$PROF" "$@" >out 2>err
	got=$?
	if [ $got = 0 ] || grep -qE 'no process of that name|^prof: the profile is empty' err; then ok "words-$n"; else not_ok "words-$n" "status $got" err "$f"; fi
done
check words $n = 3

# The unit.
mkdir unit
sed "s|/usr/local/bin/prof|$PROF|" ini >unit/prof@.service
if command -v systemd-analyze >/dev/null; then
	sed 's/%i/x/g' unit/prof@.service >unit/prof-x.service
	systemd-analyze verify "$work/unit/prof-x.service" >out 2>&1
	lacks unit out 'prof-x.service.*(Unknown|Failed|not executable|Invalid|Missing)'
else
	skip unit "no systemd-analyze: apt-get install systemd"
fi
set -- $(sed -n 's/^ExecStart=[^ ]* //p' ini | sed 's/%i/none/; s|${STATE_DIRECTORY}|.|')
"$PROF" "$@" >out 2>err
check unit-words "$(grep -c 'no such cgroup\|file system of cgroups is not mounted' err)" = 1

# kubectl, where there is one, knows the options.
if command -v kubectl >/dev/null && kubectl debug --help >help 2>/dev/null; then
	for o in $(sed 's/ -- .*//' kubectl | tr ' ' '\n' | sed -n 's/^\(--[a-z]*\).*/\1/p'); do
		has "kubectl$o" help "^ +(-[a-z], )?$o="
	done
	has kubectl-general help '"general"'
fi
exit $failed
