/* The parts that .html and .svg files carry.  out/format/embed packs them from html/ and svg/ into one .xz file. */
#ifndef OUT_FORMAT_PAGES_H
#define OUT_FORMAT_PAGES_H

#include <stdbool.h>

#include "lib/sink.h"

/* Text before an .html file's title, table for those without scripts, data and program, and behind it; its program's three
 * parts; the script of an .svg file that unpacks its program, and that. */
enum page_part {
	PAGE_TITLE, PAGE_TABLE, PAGE_DATA, PAGE_PROGRAM, PAGE_END, PAGE_STYLE, PAGE_SKELETON, PAGE_SCRIPT, SVG_BOOT, SVG_VIEW,
	PAGE_PARTS
};

struct pages {
	struct sink text;
	const char *part[PAGE_PARTS];
};

/* False at the memory cap, and then all parts are empty.  Close it in any case. */
bool pages_open(struct pages *);
void pages_close(struct pages *);
/* Writes the parts from FIRST to LAST, a NUL between them, as gzip (RFC 1952) in base64. */
void pages_pack(const struct pages *, struct sink *out, enum page_part first, enum page_part last);

/* The file.  The build of prof makes it. */
extern const uint8_t pages_xz[];
extern const uint32_t pages_xz_size;

#endif
