#!/bin/sh
# Local variables at probes, by DWARF: parameters and locals in registers and on the stack, members by pointers; gcc and clang, DWARF 4 and 5.
# alone: samples are counted, one for each call
. "$(dirname "$0")/../lib.sh"
need_root

cat >vars.c <<'C'
#include <string.h>
#include <unistd.h>
#define FAR __attribute__((noinline))
enum color { RED = -2, GREEN };
struct in { int a; char name[8]; };
struct node { long id; struct in in; struct node *next; union { int u; char c; }; unsigned bits : 3; double d; unsigned short port; };
static volatile int sink;
static void FAR touch(volatile int *p) { (*p)++; }
FAR int take(int n, const char *word, struct node *at, signed char small, enum color color, double d)
{
	volatile int twice = n * 2;
	touch(&twice);
	sink += twice + word[0] + small + (int)color + (int)d + at->port + at->in.name[0] + at->u + (int)at->id + at->next->in.name[0];
	return twice;   /* line 14 */
}
/* What the stack has where the next function will have its variables: 0x4d4d4d4d. */
void FAR paint(void) { char all[512]; memset(all, 'M', sizeof all); __asm__ volatile("" : : "r"(all) : "memory"); }
/* It calls none: at -O0 its variables are below the stack pointer. */
int FAR leaf(int n)
{
	volatile int kept = n + 5;
	kept++;   /* line 22 */
	return kept;
}
int FAR spread(struct in by, unsigned n) { touch(&sink); sink += by.a; return (int)n * 3; }
enum mask { SOME = 1, ALL = 0xfffffff0 };
int FAR cover(enum mask mask, int n) { sink += n; return mask == ALL; }
int main(int argc, char **argv)
{
	struct node b = { 700, { 1, "bee" }, &b, { 9 }, 1, 2, 80 }, a = { 7, { 5, "ay" }, &b, { 66 }, 2, 1.5, 443 };
	int x = 0;
	for (int i = 0; i < 40; i++) {
		paint();
		x += take(i % 4, argv[i & 1], &a, (signed char)(i % 4 - 2), i & 1 ? RED : GREEN, 2.5) + spread(a.in, (unsigned)i % 4) + cover(i & 1 ? ALL : SOME, i) + leaf(i);
	}
	if (argc > 2)   /* its memory stays until it was read */
		usleep(300000);
	return x == 1;
}
C

# lines REGEX: the sum of the counts of the stacks that match.
lines() { awk -v r="$1" '$0 ~ r { n += $NF } END { print n + 0 }' x.folded; }
shown() { # NAME PROBE LEAF COUNT [STAY]
	"$PROF" -q -e "uprobe:$PWD/$program:$2" -o x.folded -- "./$program" word $5 >out 2>err
	check "$program-$1" "$(lines "$3")" -eq "$4"
}

for compiler in gcc clang; do
	for level in 0 2; do
		for version in 4 5; do
			program=$compiler-O$level-$version
			$compiler -gdwarf-$version -O$level -o "$program" vars.c || exit 1
			shown parameter 'take n' ';take;n=3 10$' 10
			shown small 'take small' ';take;small=-2 10$' 10
			shown enum 'take color' ';take;color=-2 20$' 20
			shown enum_without_sign 'cover mask' ';cover;mask=4294967280 20$' 20
			shown text 'take word:string' ';take;word="word" 20$' 20 stay
			shown member 'take at->id' ';take;at->id=7 40$' 40
			shown far_member 'take who=at->next->in.name:string' ';take;who="bee" 40$' 40
			shown union 'take at->u:x8' ';take;at->u=0x42 40$' 40
			shown short 'take at->port' ';take;at->port=443 40$' 40
			shown local 'vars.c:14 twice' ';take;twice=7 10$' 10
		done
	done
done

# A place behind the function's beginning, and one in it; a detached debug file.
# Behind the beginning twice has no value of its own yet, but what the stack had there.
for program in gcc-O0-5 clang-O0-5; do
	shown behind_the_beginning 'take twice' ';main;take;twice=1296911693 40$' 40
	# What is below the stack pointer is overwritten before prof can read it, so no number may be shown.  Parameters are in registers.
	[ "$(uname -m)" != x86_64 ] || shown below_the_stack 'vars.c:22 kept' ';main;leaf;kept=[?] 40$' 40 stay
	shown parameter_of_a_leaf 'leaf n' ';main;leaf;n=39 1$' 1
done
"$PROF" -q -e "uprobe:$PWD/gcc-O0-5:spread n" -o x.folded -- ./gcc-O0-5 word >out 2>err
check behind_a_struct "$(lines ';main;spread;n=3 10$')" -eq 10
"$PROF" -q -e "uprobe:$PWD/gcc-O2-5:take" --leaf n -o x.folded -- ./gcc-O2-5 word >out 2>err
check by_leaf "$(lines ';take;n=3 10$')" -eq 10
mkdir -p bare && objcopy --only-keep-debug gcc-O2-5 bare/v.debug && strip -o bare/v gcc-O2-5 && (cd bare && objcopy --add-gnu-debuglink=v.debug v) || exit 1
chmod 644 bare/v.debug
"$PROF" -q -e "uprobe:$PWD/bare/v:take at->next->id" -o x.folded -- ./bare/v word >out 2>err
check detached "$(lines ';take;at->next->id=700 40$')" -eq 40

refused() { # NAME PROBE WHY
	status "$1" 125 "$PROF" -e "$2" -o x.folded ./gcc-O2-5
	has "$1_why" err "$3"
}
refused misspelt "uprobe:$PWD/gcc-O2-5:take wrod" 'take: there is no variable wrod: did you mean word\?'
refused unknown "uprobe:$PWD/gcc-O2-5:take zebra" 'there is no variable zebra; there are: n word at small'
refused member_misspelt "uprobe:$PWD/gcc-O2-5:take at->nxt" 'there is no member nxt: did you mean next\?'
refused float "uprobe:$PWD/gcc-O2-5:take d" 'd is a floating-point number'
refused bits "uprobe:$PWD/gcc-O2-5:take at->bits" 'bits is a bit field'
refused struct "uprobe:$PWD/gcc-O2-5:take at->in" 'in is a struct: name a member'
refused not_there "uprobe:$PWD/gcc-O2-5:take twice:string" 'twice is not a pointer to text|prof cannot tell where twice is'
refused at_a_return "uretprobe:$PWD/gcc-O2-5:take n" 'variables are gone when the function returns'
refused of_the_kernel 'kprobe:vfs_read count' 'prof knows no variables of the kernel'
strip -o stripped gcc-O2-5
refused without_information "uprobe:$PWD/stripped:0x$(nm gcc-O2-5 | awk '$3 == "take" { print $1 }') n" 'has no debug information about this code'
gcc -g -O0 -S -o lines.s vars.c && sed 's/"twice"/"twi\\nce"/' lines.s >lines2.s && gcc -o hostile lines2.s || exit 1
status newline 125 "$PROF" -e "uprobe:$PWD/hostile:take zebra" -o x.folded ./hostile
has newline_why err 'there are: n word at small color d twi\?ce$'
check newline_is_none "$(grep -c ^ err)" -eq 1

# Other people's programs and compilers: bash's own debug information is not there, but C++ has names with blanks.
cat >calls.cc <<'C'
#include <string>
struct point { virtual ~point() {} int x = 5; };
struct deep : point { int y = 6; };
namespace ns { __attribute__((noinline)) int run(const deep &d, unsigned long n) { __asm__ volatile(""); return d.x + d.y + (int)n; } }
int main() { deep d; int x = 0; for (int i = 0; i < 10; i++) x += ns::run(d, (unsigned long)i); return x == 1; }
C
g++ -g -O1 -o calls calls.cc || exit 1
"$PROF" -q -e "uprobe:$PWD/calls:ns::run(deep const&, unsigned long) d.x" -o x.folded -- ./calls
check base_class "$(lines ';d.x=5 10$')" -eq 10
"$PROF" -q -e "uprobe:$PWD/calls:ns::run(deep const&, unsigned long)" -o x.folded -- ./calls
check name_with_blanks "$(lines 'ns::run')" -eq 10

# What lies outside its class has its type in the class; static members are not in it.
cat >outside.cc <<'C'
#include <unistd.h>
struct big { long a[8]; };
struct holder { int here = 7; static int apart; big get(int x); };
int holder::apart = 9;
__attribute__((noinline)) static void touch(int *p) { __asm__ volatile("" : : "r"(p) : "memory"); }
__attribute__((noinline)) big holder::get(int x) { touch(&x); return { { x, here, apart } }; }
int main(int argc, char **)
{
	holder h;
	long x = 0;
	for (int i = 0; i < 10; i++)
		x += h.get(1234).a[0];
	if (argc > 1)
		usleep(300000);
	return x == 1;
}
C
for compiler in g++ clang++; do
	$compiler -gdwarf-4 -O0 -o outside outside.cc || exit 1
	"$PROF" -q -e "uprobe:$PWD/outside:holder::get(int) x" -o x.folded -- ./outside
	check "outside_its_class-$compiler" "$(lines ';x=1234 10$')" -eq 10
	"$PROF" -q -e "uprobe:$PWD/outside:holder::get(int) this->here" -o x.folded -- ./outside stay
	check "member-$compiler" "$(lines ';this->here=7 10$')" -eq 10
	status "static-$compiler" 125 "$PROF" -e "uprobe:$PWD/outside:holder::get(int) this->apart" -o x.folded ./outside
	has "static_why-$compiler" err 'apart is a static member: it is not in the struct'
done
# Blanks in names of files and functions.
mkdir -p 'a dir' && cp outside 'a dir/acc' || exit 1
"$PROF" -q -e "uprobe:$PWD/a dir/acc:main" -o x.folded -- './a dir/acc'
check file_with_a_blank "$(lines ';main 1$')" -eq 1
"$PROF" -q -e "uprobe:$PWD/a dir/acc:holder::get(int) x" -o x.folded -- './a dir/acc'
check argument_behind_it "$(lines ';x=1234 10$')" -eq 10

# Other languages: Rust, which passes arguments as C does, and Go, which does not.
if command -v rustc >/dev/null; then
	cat >add.rs <<'R'
#[inline(never)] fn add(a: i32, b: &str, c: u8) -> i32 { a + b.len() as i32 + c as i32 }
#[inline(never)] fn none(_n: (), b: i32) -> i32 { b + 1 }
fn main() { let mut x = 0; for i in 0..10 { x += add(i % 5, "abc", 7) + none((), i % 5); } println!("{}", x); }
R
	rustc -g -o rusty add.rs || exit 1
	"$PROF" -q -e "uprobe:$PWD/rusty:*3add3add* a" -o x.folded -- ./rusty >out
	check rust "$(lines ';a=4 2$')" -eq 2
	"$PROF" -q -e "uprobe:$PWD/rusty:*3add3add* c" -o x.folded -- ./rusty >out
	check rust_unsigned "$(lines ';c=7 10$')" -eq 10
	"$PROF" -q -e "uprobe:$PWD/rusty:*4none* b" -o x.folded -- ./rusty >out
	check rust_empty "$(lines ';b=4 2$')" -eq 2
else
	skip rust "no rustc"
fi
if command -v go >/dev/null; then
	cat >add.go <<'G'
package main

//go:noinline
func add(a int, b string) int { return a + len(b) }
func main() {
	x := 0
	for i := 0; i < 10; i++ {
		x += add(i%5, "abc")
	}
	println(x)
}
G
	for flags in '' '-N -l'; do
		GOCACHE=$PWD/cache go build -gcflags="$flags" -o going add.go || exit 1
		"$PROF" -q -e "uprobe:$PWD/going:main.add a" -o x.folded -- ./going 2>out
		check "go${flags:+-plain}" "$(lines ';a=4 2$')" -eq 2
	done
else
	skip go "no go"
fi
