# work.py SECONDS: calls, generators, sorting, json, regular expressions, exceptions.
import json, re, sys, time
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
def tree(n): return {"n": n, "next": [tree(n - 1), tree(n - 2)]} if n > 1 else {"n": n}
def total(t): return t["n"] + sum(total(x) for x in t.get("next", ()))
class Thing:
    def __init__(self, v): self.v = v
    def __lt__(self, other): return self.v < other.v
end, r = time.time() + float(sys.argv[1]), 0
while time.time() < end:
    r += fib(15) + total(json.loads(json.dumps(tree(12))))
    r += sorted(Thing(i * 7919 % 503) for i in range(500))[3].v
    r += sum(len(m) for m in re.findall(r"(\d+)x?", "abc12x" * 50))
    try: {}["none"]
    except KeyError as e: r += len(str(e))
print(r, file=sys.stderr)
