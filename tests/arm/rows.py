#!/usr/bin/env python3
# rows.py: from what `readelf -u` prints (on its input) the rows that rows.c prints.
import re
import sys


def row(ops):
    base, vsp, at = 13, 0, {}
    for op in ops:
        if m := re.match(r'vsp = vsp ([+-]) (\d+)', op):
            vsp += int(m[2]) * (1 if m[1] == '+' else -1)
        elif m := re.match(r'vsp = r(\d+)', op):
            base = int(m[1])
        elif m := re.match(r'pop \{(.*)\}', op):
            for reg in m[1].split(', '):
                if reg[0] in 'Dw':   # one, or from one to another
                    ends = [int(n) for n in re.findall(r'\d+', reg)]
                    vsp += 8 * (ends[-1] - ends[0] + 1)
                else:
                    at[int(reg[1:])] = vsp
                    vsp += 4
        elif m := re.match(r'FLDMFDX pop', op) or re.match(r'pop \{.*\} \(FSTMFDX\)', op):
            sys.exit('an instruction that this script does not know: ' + op)
        elif op == 'finish':
            break
        else:
            sys.exit('an instruction that this script does not know: ' + op)
    return f'CFA=r{base}{vsp:+d}' + ''.join(f' r{r}@{at[r] - vsp}' for r in sorted(at))


def rows(lines):
    addr, ops, kind = None, [], None
    for line in lines:
        if m := re.match(r'(0x[0-9a-f]+)( <.*?>)?: (.*)', line):
            if addr:
                yield addr, kind, ops
            addr, ops, kind = m[1], [], m[3]
        elif m := re.match(r'  (?:0x[0-9a-f]{2} )+ *(.*)', line):
            ops.append(m[1].strip())
    if addr:
        yield addr, kind, ops


# '?': in a stripped file readelf does not know the personality routine, and stops.
for addr, kind, ops in rows(sys.stdin.read().split('\n')):
    print(hex(int(addr, 16) & ~1), 'cantunwind' if 'cantunwind' in kind else row(ops) if ops else '?')
