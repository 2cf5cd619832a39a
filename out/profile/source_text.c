/* See source_text.h. */
#include "source_text.h"

#include <string.h>

enum { LINE_COST = 16 };   /* bytes that each line counts beside its text, so that empty lines have a bound, too */

static uint32_t
hash_line(uint32_t file, uint32_t line)
{
	return hash_u64((uint64_t)file << 32 | line);
}

static uint32_t
find_file(const struct source_texts *t, const char *name)
{
	uint32_t slot, i;

	for (slot = index_first(&t->files, hash_str(name)); (i = index_at(&t->files, slot)) != INDEX_NONE; slot = index_next(&t->files, slot))
		if (strcmp(t->file[i].name, name) == 0)
			break;
	return i;
}

static const struct source_text_line *
find_line(const struct source_texts *t, uint32_t file, uint32_t line)
{
	uint32_t slot, i;

	for (slot = index_first(&t->lines, hash_line(file, line)); (i = index_at(&t->lines, slot)) != INDEX_NONE; slot = index_next(&t->lines, slot))
		if (t->line[i].file == file && t->line[i].line == line)
			return &t->line[i];
	return NULL;
}

static uint32_t
add_file(struct source_texts *t, struct arena *arena, const char *name)
{
	char *copy = arena_str(arena, name, strlen(name));

	if (!copy || !vec_room(&t->file, &t->file_cap, (uint64_t)t->nfile + 1, sizeof *t->file))
		return INDEX_NONE;
	t->file[t->nfile] = (struct source_text_file){ .name = copy };
	return index_add(&t->files, hash_str(copy), t->nfile) ? t->nfile++ : INDEX_NONE;
}

/* The number of bytes that prof keeps of a line, without half a character at the end. */
static uint32_t
cut(const char *text, size_t len)
{
	uint32_t n = len > SOURCE_LINE_MOST ? SOURCE_LINE_MOST : (uint32_t)len;

	for (unsigned i = 0; n < len && i < 3 && n && ((unsigned char)text[n] & 0xc0) == 0x80; i++)
		n--;
	return n;
}

bool
source_texts_add(struct source_texts *t, struct arena *arena, const char *file, uint32_t line, const char *text, size_t len)
{
	uint32_t n = cut(text, len), cost = n + LINE_COST, name_cost = 0, f = find_file(t, file);
	char *copy;

	if (f != INDEX_NONE && find_line(t, f, line))
		return true;
	if (f == INDEX_NONE)
		name_cost = (uint32_t)strnlen(file, SOURCE_FILE_MOST) + LINE_COST;
	if (cost + name_cost > SOURCE_FILE_MOST - (f == INDEX_NONE ? 0 : t->file[f].bytes) || cost + name_cost > SOURCE_ALL_MOST - t->bytes ||
	    !vec_room(&t->line, &t->cap, (uint64_t)t->n + 1, sizeof *t->line) || !(copy = arena_str(arena, text, n)) ||
	    (f == INDEX_NONE && (f = add_file(t, arena, file)) == INDEX_NONE)) {
		t->full = true;
		return false;
	}
	t->line[t->n] = (struct source_text_line){ .file = f, .line = line, .text = copy, .len = n };
	if (!index_add(&t->lines, hash_line(f, line), t->n)) {
		t->full = true;
		return false;
	}
	t->n++;
	t->file[f].bytes += cost + name_cost;
	t->bytes += cost + name_cost;
	return true;
}

const char *
source_texts_find(const struct source_texts *t, const char *file, uint32_t line, size_t *len)
{
	uint32_t f = find_file(t, file);
	const struct source_text_line *l = f == INDEX_NONE ? NULL : find_line(t, f, line);

	if (l)
		*len = l->len;
	return l ? l->text : NULL;
}

void
source_texts_copy(struct source_texts *t, struct arena *arena, const struct source_texts *from)
{
	for (uint32_t i = 0; i < from->n; i++)
		source_texts_add(t, arena, from->file[from->line[i].file].name, from->line[i].line, from->line[i].text, from->line[i].len);
}

void
source_texts_free(struct source_texts *t)
{
	vec_free(&t->line, &t->cap, sizeof *t->line);
	vec_free(&t->file, &t->file_cap, sizeof *t->file);
	index_free(&t->lines);
	index_free(&t->files);
	*t = (struct source_texts){ .bytes = 0 };
}
