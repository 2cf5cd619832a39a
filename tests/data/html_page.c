/* A page for tests: its parts say where they stand, and the program is ten bytes. */
#include "../../out/html_page.h"

const char *const html_page[PAGE_PARTS] = { "title:", "\ntable:\n", "data:", "\nprogram:", "\nend\n" };
const uint8_t html_program[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 255 };
const uint32_t html_program_size = sizeof html_program;
