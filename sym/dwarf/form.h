/* Attribute values by their forms. */
#ifndef SYM_DWARF_FORM_H
#define SYM_DWARF_FORM_H

#include "dwarf_file.h"

struct spec {
	uint16_t form;
	uint8_t attr;              /* enum attr */
	uint8_t size;              /* of its value, or FORM_VARIES */
	int32_t implicit;          /* DW_FORM_implicit_const */
};

enum { FORM_VARIES = 0xff };

struct value {
	uint16_t form;             /* 0: there is none */
	uint64_t u;
	const char *str;           /* DW_FORM_string */
};

/* An entry somewhere, perhaps in another unit or file. */
struct die_at {
	struct dwarf *dwarf;
	struct unit *unit;         /* NULL: its reader opens the unit */
	uint64_t off;              /* in .debug_info */
};

/* The size of a value of FORM in U, or FORM_VARIES. */
uint8_t form_size(const struct unit *, uint16_t form);
void form_skip(const struct unit *, struct cursor *, uint16_t form);
/* Whether FORM is a block of bytes; then it takes the block. */
bool form_block(struct cursor *, uint16_t form, struct cursor *block);
struct value form_read(const struct unit *, struct cursor *, const struct spec *);
/* NULL if the value is no string. */
const char *value_string(const struct unit *, const struct value *);
bool value_address(const struct unit *, const struct value *, uint64_t *addr);
bool value_die(struct unit *, const struct value *, struct die_at *);

#endif
