# a-table
$ printf 'a;main;f 50\na;main;g 50\n' >old; printf 'a;main;f 150\na;main;g 50\n' >new; prof diff old new
new: 200 samples; before, old: 100 samples; +100.00%
~ ^$
      self    before     after  function
   +25.00%    50.00%    75.00%  f
   -25.00%    50.00%    25.00%  g
~ ^$
     total    before     after  function
   +25.00%    50.00%    75.00%  f
   -25.00%    50.00%    25.00%  g
$ prof diff old - <new -q
$ prof diff old new --top 1 -o x.txt 2>err; sed 's/([0-9]* B)/(SIZE)/' err; grep -c '%  [fg]$' x.txt
prof: wrote x.txt (SIZE)
2

# gates
$ printf 'a;main;f 50\na;main;g 50\n' >old; printf 'a;main;f 150\na;main;g 50\n' >new
$ prof diff -q old new --fail-if 'f>24%'
prof: --fail-if 'f>24%': f grew by 25.00 points
? 1
$ prof diff -q old new --fail-if 'f>25%'
$ prof diff -q old new --fail-if 'g>0%'
$ prof diff -q old new --fail-if 'total>99.9%'
prof: --fail-if 'total>99.9%': the total grew by 100.00%
? 1
$ prof diff -q old new --fail-if 'total>100%'
$ prof diff -q new old --fail-if 'total>0%'
$ prof diff -q old new --fail-if '^[f-h]$ > 10%' --fail-if 'total>50%'
prof: --fail-if '^[f-h]$ > 10%': f grew by 25.00 points
prof: --fail-if 'total>50%': the total grew by 100.00%
? 1
$ prof diff -q old new --fail-if 'typo>1%'
prof: --fail-if 'typo>1%': neither profile has a function of that name, so this check passes
$ prof diff old old --fail-if 'f>0%' --fail-if 'total>0%' -q

# gates-on-names-with-signs-in-them
$ printf 'a;v<int>::f 1\na;g 9\n' >old; printf 'a;v<int>::f 5\na;g 5\n' >new
$ prof diff -q old new --fail-if 'v<int>::f>10%'
prof: --fail-if 'v<int>::f>10%': v<int>::f grew by 40.00 points
? 1
$ for g in f '>5%' 'f>' 'f>5' 'f>x%' 'f>-1%' ''; do prof diff -q old new --fail-if "$g"; echo $?; done 2>&1 | sort | uniq -c | sort -n | tail -n 1
~ 7 125

# units-that-cannot-be-compared
$ printf 'a;f 1\n' >count; printf 'a  1/1  1.000000:  1000000 cpu-clock:\n\t1 f (x)\n\n' >time
$ prof diff count time
prof: prof cannot compare them: count has counts (samples), but time has time (cpu-clock)
? 125
$ printf 'a;[one];f 3\na;[two];f 5\n' >e; prof diff e e | head -n 1
prof: prof compares the event one; use -e NAME for another one
e: 3 one; before, e: 3 one; 0.00%
$ prof diff e count
~ ^prof: prof cannot compare them: e has counts \(one\), but count has counts \(samples\)
? 125
$ prof diff -e two e e | head -n 1
e: 5 two; before, e: 5 two; 0.00%
$ prof diff -e three e e
prof: -e three: there is no such event in e
? 125

# bad-files-and-options
$ printf 'a;f 1\n' >a; prof diff a
prof: prof diff BEFORE AFTER compares two profiles; you gave 1
? 125
$ prof diff a a a
? 125
~ you gave 3
$ prof diff a missing
prof: missing: No such file or directory
? 125
$ printf 'a;f 0\n' >none; prof diff none a
~ ^prof: none: 
? 125
$ prof diff a a -o nowhere/x.svg
~ ^prof: 
? 125

# pictures
$ printf 'a;main;f 50\na;main;g 50\n' >old; printf 'a;main;f 150\na;main;g 50\n' >new; prof diff -q old new -o d.svg -o d.html
$ grep -o '<title>[^<]*25%[^<]*' d.svg
~ ^<title>f.*[+]25%
~ ^<title>g.*25%, [^+]+25%
$ grep -c 'compared with old' d.svg; test -s d.html
~ ^[1-9]
