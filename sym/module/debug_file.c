/* See debug_file.h.  Compressed sections: System V gABI chapter 4, "Section Compression"; the older ".zdebug" form is binutils'.
 * .gnu_debuglink and .gnu_debugaltlink: GDB's manual, "Debugging Information in Separate Files", and dwz(1); DWARF 5 section
 * 7.3.6 for .debug_sup; .gnu_debugdata: GDB's manual, "MiniDebugInfo". */
#include "debug_file.h"

#include <elf.h>
#include <string.h>

#include "lib/codec/inflate.h"
#include "lib/codec/unpack.h"
#include "lib/codec/xz.h"
#include "lib/codec/zstd.h"
#include "lib/work.h"
#include "debug_search.h"

enum {
	EXPANDS_MOST = 100,        /* times, for sections above some size: no compiler's output is that empty */
	EXPANDS_ANY = 16 << 20,
	EXPANDS_USUAL = 16,        /* times: a section that expands more gets no more work */
	SHRINKS_LEAST = 4096,      /* a compressed section takes at most twice the room, plus so many bytes */
	PIECEMEAL = 512 << 10,     /* bytes: prof unpacks larger sections piece by piece */
	MINI_MOST = 16 << 20, MINI_EXPANDED_MOST = 64 << 20,
	COMPRESS_ZSTD = 2,         /* ELFCOMPRESS_ZSTD */
};

struct part {
	const char *name;          /* the caller's */
	struct cursor data;
	struct part *next;
};

struct debug_files {
	struct part *parts;        /* sections that were compressed */
	struct module *dwarf, *symbols, *alt, *dwp;
	struct module *of;         /* of a detached file: the module that it belongs to */
	bool sought_dwarf, sought_symbols, sought_alt, sought_dwp;
};

static struct debug_files *
debug_of(struct modules *ms, struct module *m)
{
	if (!m->debug)
		m->debug = arena_alloc(&ms->arena, sizeof *m->debug);
	return m->debug;
}

/* ---- sections ---- */

enum codec { PLAIN, ZLIB, ZSTD, UNKNOWN };

/* How S is compressed: the compressed bytes, and how many they become. */
static enum codec
compression(const struct elf *e, const struct section *s, struct cursor *data, uint64_t *size)
{
	const uint8_t *magic;
	uint32_t type;

	*data = s->data;
	if (!strncmp(s->name, ".zdebug", 7)) {
		magic = cur_take(data, 4);
		data->big = true;
		*size = cur_u64(data);
		return data->bad || memcmp(magic, "ZLIB", 4) ? UNKNOWN : ZLIB;
	}
	if (!(s->flags & SHF_COMPRESSED))
		return PLAIN;
	type = cur_u32(data);
	if (e->is64)
		cur_u32(data);
	*size = cur_uint(data, e->is64 ? 8 : 4);
	cur_uint(data, e->is64 ? 8 : 4);   /* alignment */
	return data->bad ? UNKNOWN : type == ELFCOMPRESS_ZLIB ? ZLIB : type == COMPRESS_ZSTD ? ZSTD : UNKNOWN;
}

static struct cursor
nothing(const struct module *m)
{
	return cur_of(NULL, 0, m->elf.bytes.big);
}

static struct cursor
decompress(struct modules *ms, const struct module *m, const struct section *s)
{
	struct cursor data;
	uint64_t size = 0;
	enum codec codec = compression(&m->elf, s, &data, &size);
	const uint8_t *pieces;
	const char *bad;
	void *bytes;

	if (codec == PLAIN)
		return s->data;
	if (codec == UNKNOWN || !size || (size > EXPANDS_ANY && size / EXPANDS_MOST > cur_left(&data)) || size > SIZE_MAX ||
	    cur_left(&data) / 2 > size + SHRINKS_LEAST)
		return nothing(m);
	work_allow(size / EXPANDS_USUAL < cur_left(&data) ? size : cur_left(&data) * EXPANDS_USUAL);
	if (codec == ZLIB && size >= PIECEMEAL && (pieces = unpack_open(&ms->arena, data, (size_t)size)))
		return cur_of(pieces, (size_t)size, m->elf.bytes.big);
	if (!(bytes = arena_alloc(&ms->arena, (size_t)size)))
		return nothing(m);
	bad = codec == ZLIB ? inflate(&data, INFLATE_ZLIB, bytes, (size_t)size) : zstd(data, bytes, (size_t)size);
	return bad ? nothing(m) : cur_of(bytes, (size_t)size, m->elf.bytes.big);
}

struct cursor
debug_file_section_of(struct modules *ms, struct module *file, const char *name)
{
	struct debug_files *d;
	struct section s;
	struct part *p;

	if (!debug_search_has(file, name, &s))
		return nothing(file);
	if (!(s.flags & SHF_COMPRESSED) && s.name[1] != 'z')
		return s.data;
	if (!(d = debug_of(ms, file)))
		return nothing(file);
	for (p = d->parts; p; p = p->next)
		if (!strcmp(p->name, name))
			return p->data;
	if (!(p = arena_alloc(&ms->arena, sizeof *p)))
		return nothing(file);
	*p = (struct part){ name, decompress(ms, file, &s), d->parts };
	d->parts = p;
	return p->data;
}

/* ---- files ---- */

/* .gnu_debuglink: a name, filled up to a multiple of four, and a CRC.  prof does not take a name that leads to another
 * directory. */
static void
read_link(const struct module *m, struct debug_wanted *w)
{
	struct section s;
	const char *name;

	if (!debug_search_has(m, ".gnu_debuglink", &s))
		return;
	name = cur_str(&s.data);
	cur_take(&s.data, -(strlen(name) + 1) & 3);
	w->crc = cur_u32(&s.data);
	if (!s.data.bad && *name && !strchr(name, '/') && strlen(name) < 256)
		w->link = name;
}

static struct module *
find_detached(struct modules *ms, struct module *m, enum debug_kind kind, const char *section)
{
	struct debug_wanted w = { .kind = kind, .of = m, .section = section, .build_id = m->elf.build_id,
		                  .build_id_len = m->elf.build_id_len };
	struct module *file;
	struct debug_files *d;

	if (m->bad)
		return NULL;
	read_link(m, &w);
	if ((file = debug_search(ms, &w)) && (d = debug_of(ms, file)))
		d->of = m;
	return file;
}

struct module *
debug_file(struct modules *ms, struct module *m)
{
	struct debug_files *d = debug_of(ms, m);
	struct section s;

	if (!d || d->sought_dwarf)
		return d ? d->dwarf : NULL;
	d->sought_dwarf = true;
	if (debug_search_has(m, ".debug_info", &s))
		d->dwarf = m;
	else if (d->symbols && debug_search_has(d->symbols, ".debug_info", &s))
		d->dwarf = d->symbols;
	else if (!(d->dwarf = find_detached(ms, m, DEBUG_DETACHED, ".debug_info")))
		d->dwarf = find_detached(ms, m, DEBUG_CACHED, ".debug_info");
	return d->dwarf;
}

struct cursor
debug_file_section(struct modules *ms, struct module *m, const char *name)
{
	struct module *file = debug_file(ms, m);

	return file ? debug_file_section_of(ms, file, name) : nothing(m);
}

/* The symbols that M carries with it in .gnu_debugdata. */
static struct module *
open_mini(struct modules *ms, struct module *m)
{
	struct module *mini = NULL;
	struct section s;
	struct sink out;
	void *bytes;

	if (!debug_search_has(m, ".gnu_debugdata", &s) || cur_left(&s.data) > MINI_MOST)
		return NULL;
	sink_open(&out, -1);
	if (!xz(s.data, &out, MINI_EXPANDED_MOST) && (bytes = arena_alloc(&ms->arena, out.len))) {
		memcpy(bytes, out.buf, out.len);
		mini = module_bytes(ms, m->path, bytes, out.len);
	}
	sink_close(&out);
	return mini && debug_search_has(mini, ".symtab", &s) && mini->elf.machine == m->elf.machine &&
	                       mini->elf.is64 == m->elf.is64 && mini->elf.bytes.big == m->elf.bytes.big
	               ? mini
	               : NULL;
}

struct module *
debug_file_symbols(struct modules *ms, struct module *m)
{
	struct debug_files *d = debug_of(ms, m);
	struct section s;

	if (!d || d->sought_symbols)
		return d ? d->symbols : NULL;
	d->sought_symbols = true;
	if (debug_search_has(m, ".symtab", &s))
		d->symbols = m;
	else if (d->dwarf && debug_search_has(d->dwarf, ".symtab", &s))
		d->symbols = d->dwarf;
	else if (!(d->symbols = find_detached(ms, m, DEBUG_DETACHED, ".symtab")) && !(d->symbols = open_mini(ms, m)))
		d->symbols = find_detached(ms, m, DEBUG_CACHED, ".symtab");
	return d->symbols;
}

/* The path and build-id of the shared file, in GNU's form or DWARF 5's. */
static void
read_alt_link(const struct module *file, struct debug_wanted *w)
{
	struct section s;
	bool sup = !debug_search_has(file, ".gnu_debugaltlink", &s);
	uint64_t n;

	if (sup) {
		if (!debug_search_has(file, ".debug_sup", &s))
			return;
		cur_u16(&s.data);   /* version */
		if (cur_u8(&s.data))
			return;     /* this file is the shared one itself */
	}
	w->link = cur_str(&s.data);
	n = sup ? cur_uleb(&s.data) : cur_left(&s.data);
	w->build_id_len = n < sizeof w->of->elf.build_id ? (unsigned)n : sizeof w->of->elf.build_id;
	w->build_id = cur_take(&s.data, n);
	if (s.data.bad || !*w->link)
		w->link = NULL;
}

struct module *
debug_file_alt(struct modules *ms, struct module *file)
{
	struct debug_files *d = debug_of(ms, file);
	struct debug_wanted w = { .kind = DEBUG_ALT, .of = file, .section = ".debug_str" };

	if (!d || d->sought_alt || file->bad)
		return d ? d->alt : NULL;
	d->sought_alt = true;
	read_alt_link(file, &w);
	return w.link && w.build_id_len ? d->alt = debug_search(ms, &w) : NULL;
}

struct module *
debug_file_dwo(struct modules *ms, struct module *m, const char *comp_dir, const char *name)
{
	struct debug_wanted w = { .kind = DEBUG_DWO, .of = m, .section = ".debug_info.dwo", .link = name, .comp_dir = comp_dir };

	return m->bad ? NULL : debug_search(ms, &w);
}

struct module *
debug_file_dwp(struct modules *ms, struct module *m)
{
	struct debug_files *d = debug_of(ms, m);
	struct debug_wanted w = { .kind = DEBUG_DWP, .of = m, .section = ".debug_cu_index" };

	if (!d || d->sought_dwp || m->bad)
		return d ? d->dwp : NULL;
	d->sought_dwp = true;
	if (!(d->dwp = debug_search(ms, &w)) && (w.of = d->of))
		d->dwp = debug_search(ms, &w);
	return d->dwp;
}
