# Functions of Python that the checks know: main calls outer, caller and sorter; outer calls K.inner, caller calls other, and C's sorted
# calls key.  SECONDS of CPU; 0: it aborts where it stands deepest.
import os
import sys
import time


class K:
    def inner(self, n):
        s = 0
        for i in range(n):
            s += i * i
        if not seconds:
            os.abort()
        return s


def outer(k, n):
    return k.inner(n)


def other(n):
    t = ''
    for i in range(n):
        t = str(i) + 'x'
    return t


def caller(n):
    return other(n)


def key(x):
    if not seconds:
        outer(K(), 3)
    return -x


def sorter(numbers):
    return sorted(numbers, key=key)


def main():
    k = K()
    numbers = list(range(200))
    end = time.process_time() + seconds
    if not seconds:
        sorter(numbers)
    while time.process_time() < end:
        outer(k, 300)
        caller(300)
        sorter(numbers)


seconds = float(sys.argv[1])
if seconds > 10:
    with open('ready', 'w') as f:
        f.write('it begins\n')
main()
