/* Code that a process describes to debuggers, in memory of any kind.  Input: a byte of flags (1: of a 64-bit process; 2: the machine
 * aligns 64 bits to 8 bytes), and two pictures of the memory at BASE, the second of which comes in place of the first; it begins with the
 * descriptor. */
#include "sym/jit/registered.c"

enum { BASE = 0x10000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct {
	const uint8_t *bytes;
	size_t n, left;           /* LEFT: until the memory changes */
	const uint8_t *next;
	size_t next_n;
} memory;

static size_t
read_memory(struct space *s, uint64_t addr, void *to, size_t n)
{
	(void)s;
	if (memory.left && !--memory.left) {
		memory.bytes = memory.next;
		memory.n = memory.next_n;
	}
	if (addr < BASE || addr - BASE >= memory.n)
		return 0;
	n = n < memory.n - (addr - BASE) ? n : memory.n - (size_t)(addr - BASE);
	memcpy(to, memory.bytes + (addr - BASE), n);
	return n;
}

static bool
ran(const void *ctx, uint64_t lo, uint64_t hi)
{
	(void)ctx;
	if (lo >= hi)
		__builtin_trap();
	return lo & 16;
}

static void
ask(struct registered *r, uint64_t addr)
{
	struct symbol s;
	struct fde f;

	for (uint64_t change = 0; change < 8; change += 3)
		if (registered_find(r, addr, change ? JITCODE_ALL : change, &s) && (addr < s.lo || addr >= s.hi || !*s.name))
			__builtin_trap();
	if (registered_frame(r, addr, &f) && (addr < f.lo || addr >= f.hi || !f.told))
		__builtin_trap();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct registered r = { .lists = 1 };
	struct space space;
	struct work work = { 0 };
	unsigned flags;

	if (size < 4 || size > 1 << 16)
		return 0;
	flags = data[0];
	r.list[0] = (struct registered_list){ .addr = BASE, .word = flags & 1 ? 8 : 4, .size_at = flags & 1 ? 24 : flags & 2 ? 16 : 12 };
	space_init(&space);
	space.read = read_memory;
	memory.bytes = data + 1;
	memory.n = (size - 1) / 2;
	memory.next = data + 1 + memory.n;
	memory.next_n = size - 1 - memory.n;
	memory.left = flags >> 2;
	for (unsigned i = 0; i < 3; i++) {
		registered_look(&r, &space, clock_now() + i * UINT64_C(20000000000), &work, ran, NULL);
		for (uint32_t k = 0; k < r.pieces && k < 8; k++)
			for (unsigned place = 0; place < r.piece[k].places; place++)
				for (uint64_t off = 0; off < 64; off += 8) {
					ask(&r, r.piece[k].place[place].lo + off);
					ask(&r, r.piece[k].place[place].hi - off);
				}
		if (r.pieces > ENTRIES_MOST || r.bytes > FRAMES_MOST)
			__builtin_trap();
		memory.bytes = memory.next;
		memory.n = memory.next_n;
	}
	registered_free(&r);
	space_free(&space);
	return 0;
}
