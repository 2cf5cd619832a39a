#!/bin/sh
# Compiled Lisp.  SBCL's callers make the frame records of their callees, and most of its code is in a file that is no ELF file.  GCL's code is what
# gcc made of it, without tables, in parts of a file that are data there, where the process may have other code by now.
. "$(dirname "$0")/../lib.sh"
[ "$(uname -m)" = x86_64 ] || { skip '' "prof knows this convention on x86-64 alone"; exit 0; }
need sbcl sbcl
# f1 to f9, each called by the one before it alone, in as many ways; a perf map names them.  What comes before them fills the last page of
# the file.
cat >calls.lisp <<'END_LISP'
(setf (sb-ext:bytes-consed-between-gcs) (* 60 1024 1024))
(dotimes (i 60) (compile nil `(lambda (a b c) (list (+ a ,i) (* b c) (format nil "~a" (- a b)) (expt a b)))))
(defvar *end* 0)
(defvar *sum* 0)
(declaim (notinline f1 f2 f3 f4 f5 f6 f7 f8 f9))
(defmacro spin () `(let ((x n) (l nil)) (dotimes (i 60) (setf x (+ (* x 31) i)) (when (> x 1000000007) (setf x (mod x 65521))) (push x l)) (setf *sum* (+ (length l) x))))
(defun f9 (n) (let ((h (make-hash-table)) (s 0)) (spin) (dotimes (i 20) (setf (gethash (+ i n) h) (list i n))) (maphash (lambda (k v) (incf s (+ k (length v)))) h) (+ s (integer-length (* (expt 3 80) (+ n s))))))
(defun f8 (n) (spin) (let ((l (list 5 3 9 1))) (reduce #'+ (sort l #'< :key (lambda (x) (+ x (mod (f9 x) 7)))))))
(defun f7 (n) (spin) (handler-case (let ((v (f8 n))) (when (= (mod n 3) 0) (error "no")) (+ v 1)) (error () 0)))
(defun f6 (n) (spin) (catch 'out (unwind-protect (let ((v (f7 n))) (when (oddp n) (throw 'out v)) (1+ v)) (spin))))
(defun f5 (n) (labels ((again (k) (if (= k 0) (+ 1 (f6 n)) (+ 1 (again (- k 1)))))) (spin) (values (+ (again 3) (again 2)) 2 3 4 5)))
(defun f4 (n b c d e f) (spin) (multiple-value-call #'+ (f5 n) b c d (values e f)))
(defun f3 (n) (spin) (+ 1 (apply #'f4 n (list 1 2 3 4 5))))
(defun f2 (n) (spin) (let ((l (list 1 2))) (reduce #'+ (mapcar (lambda (x) (+ x (f3 (+ n x)))) l))))
(defun f1 (n) (spin) (if (evenp n) (1+ (funcall #'f2 n)) (f2 n)))
(with-open-file (o (format nil "/tmp/perf-~d.map" (sb-unix:unix-getpid)) :direction :output :if-exists :supersede)
  (format t "~d~%" (sb-unix:unix-getpid))
  (dolist (f '(f1 f2 f3 f4 f5 f6 f7 f8 f9))
    (let* ((code (sb-kernel:fun-code-header (symbol-function f))) (lo (sb-sys:sap-int (sb-kernel:code-instructions code))))
      (format o "~x ~x ~(~a~)~%" lo (sb-kernel:%code-text-size code) f))))
(setf *end* (+ (get-internal-real-time) (* 5 internal-time-units-per-second)))
(loop for n from 0 while (< (get-internal-real-time) *end*) do (f1 n))
END_LISP
# f1 may jump to f2; f5 calls itself; f6, f7 (its handler) and f8 have functions of their own.
cat >order.awk <<'END_AWK'
{
	n = $NF; sub(/ [0-9]+$/, ""); k = split($0, a, ";"); last = bad = cut = 0; split("", t)
	for (i = 1; i <= k; i++) {
		if (a[i] == "[truncated]") cut = 1
		if (a[i] !~ /^f[1-9]$/) continue
		d = substr(a[i], 2) + 0; t[d]++
		if (!(cut && !last) && d != last + 1 && !(d == last && (d >= 5 && d <= 8)) && !(d == 2 && !last)) bad = 1
		last = d
	}
	if (t[6] > 2 || t[7] > 2 || t[8] > 2 || t[5] > 5 || (last > 5 && !cut && t[5] < 4) || (last > 8 && !cut && t[8] != 2)) bad = 1
	if (bad) { wrong += n; print > "wrong" }
	if (last == 9) full += n
}
END { print full + 0, wrong + 0 }
END_AWK
"$PROF" -F 999 --stats s.json -o s.folded -v -- sbcl --script calls.lisp >out 2>err || cat err
rm -f "/tmp/perf-$(head -n 1 out).map"
: >wrong
awk -f order.awk s.folded >found
read -r full wrong <found
show=wrong
check right "$wrong" -eq 0 -a "$full" -ge 200
show=err
check complete $(($(field s.json stacks_complete) * 100)) -ge $(($(field s.json stacks) * 97))

# A program with its heap in the executable file.
cat >saved.lisp <<'END_LISP'
(defun fib (n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
(defun main () (let ((end (+ (get-internal-real-time) (* 2 internal-time-units-per-second)))) (loop while (< (get-internal-real-time) end) do (fib 20))))
(save-lisp-and-die "saved" :executable t :toplevel #'main)
END_LISP
if sbcl --script saved.lisp >out 2>&1 && [ -x saved ]; then
	"$PROF" -F 499 --stats s.json -o s.folded -v -- ./saved >out 2>err || cat err
	check saved $(($(field s.json stacks_complete) * 100)) -ge $(($(field s.json stacks) * 95))
else
	not_ok saved "no executable file" out
fi

# Functions f1 to f4, each called from one place: one way leads to the loop in f4.
if command -v gcl >/dev/null 2>&1 && command -v cc >/dev/null 2>&1; then
	cat >calls.lsp <<'END_LISP'
(defun f4 (n) (declare (fixnum n)) (let ((x n)) (declare (fixnum x)) (dotimes (i 100000) (declare (fixnum i)) (setq x (logxor (the fixnum (+ x i)) (the fixnum (ash x -3))))) x))
(defun f3 (n) (let ((v (f4 n))) (if (> v 3) (list v) (list n))))
(defun f2 (n) (let ((v (f3 n))) (car v)))
(defun f1 (n) (let ((v (f2 n))) (+ v 1)))
(defun spin (end) (let ((s 0)) (loop (when (>= (get-internal-real-time) end) (return s)) (setq s (mod (f1 s) 65521)))))
END_LISP
	cat >main.lsp <<'END_LISP'
(compile-file "calls.lsp")
(load "calls.o")
(print (spin (+ (get-internal-real-time) (* 3 internal-time-units-per-second))))
(bye)
END_LISP
	"$PROF" -F 499 --stats s.json -o s.folded -v -- gcl -batch -load main.lsp >out 2>err </dev/null || cat err
	awk '/^saved_gcl;/ && !/_\[k\]/ { n = $NF; sub(/;[^;]* [0-9]+$/, ""); ways[$0] += n; all += n }
		END { for (w in ways) if (ways[w] > most) { most = ways[w]; way = w } print most + 0, all + 0, split(way, frames, ";") }' s.folded >found
	read -r most all frames <found
	check gcl-one-way "$most" -ge 100 -a $((most * 100)) -ge $((all * 90)) -a "$frames" -ge 20
	check gcl $(($(field s.json stacks_complete) * 100)) -ge $(($(field s.json stacks) * 97))
elif [ "${CI:-}" = true ]; then
	not_ok gcl "no gcl"
else
	skip gcl "no gcl: apt-get install gcl"
fi
if command -v maxima >/dev/null 2>&1; then
	echo 't0: elapsed_real_time()$ while elapsed_real_time() - t0 < 3 do (expand((x+y+1)^30), factor(x^20-1), taylor(sin(tan(x)),x,0,9))$' >loop.mac
	"$PROF" -F 499 --stats s.json -o s.folded -v -- maxima --very-quiet -b loop.mac >out 2>err </dev/null || cat err
	check maxima $(($(field s.json stacks_complete) * 100)) -ge $(($(field s.json stacks) * 95))
elif [ "${CI:-}" = true ]; then
	not_ok maxima "no maxima"
else
	skip maxima "no maxima: apt-get install maxima"
fi
