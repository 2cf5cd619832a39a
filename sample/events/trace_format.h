/* The fields of a tracepoint's record, by the text that tracefs has for it. */
#ifndef SAMPLE_EVENTS_TRACE_FORMAT_H
#define SAMPLE_EVENTS_TRACE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cursor.h"

struct trace_field {
	uint32_t offset, size;     /* bytes; size 0: there is no such field */
	enum { TRACE_NUMBER, TRACE_POINTER, TRACE_TEXT, TRACE_FAR_TEXT, TRACE_BYTES } kind;   /* FAR: where it lies, and its length */
	bool is_signed;
	char name[32];
};

/* The field of that line of the text; moves the text to the next line; false at its end.  Passes over lines that are no
 * fields. */
bool trace_format_next(const char **text, struct trace_field *);
/* The field called NAME; false if there is none. */
bool trace_format_find(const char *text, const char *name, struct trace_field *);
/* The field's number in a record; false if it is no number, or not there. */
bool trace_field_number(const struct trace_field *, struct cursor record, uint64_t *);
/* What a record says of the field, in words: "name=value". */
void trace_field_say(const struct trace_field *, struct cursor record, char *words, size_t size);

#endif
