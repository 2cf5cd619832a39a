/* The page that out/html/embed makes of out/html/: text between what the writer fills in, and the program, gzip'd. */
#ifndef OUT_HTML_PAGE_H
#define OUT_HTML_PAGE_H

#include <stdint.h>

/* Text before the title, the table for those without scripts, the data and the program, and behind it. */
enum { PAGE_TITLE, PAGE_TABLE, PAGE_DATA, PAGE_PROGRAM, PAGE_END, PAGE_PARTS };
extern const char *const html_page[PAGE_PARTS];
extern const uint8_t html_program[];
extern const uint32_t html_program_size;

#endif
