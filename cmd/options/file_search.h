/* Finds files by their build-ids or paths: on this machine by path and in the places for debug files, and anywhere below the
 * directories that the user names. */
#ifndef CMD_OPTIONS_FILE_SEARCH_H
#define CMD_OPTIONS_FILE_SEARCH_H

#include "search_dirs.h"

struct file_search {
	struct arena arena;
	struct wanted_file *wanted;
	uint32_t n, cap, missing;
	struct index index;
	bool below;                  /* prof looked at all files below some directory */
};

/* Notes a file to find: the LEN characters of its build-id, in hexadecimal, or of its path.  False at the memory cap. */
bool file_search_want(struct file_search *, const char *file, size_t len, bool by_id);
/* Says that the file of that build-id was at PATH, and may still be there. */
void file_search_was_at(struct file_search *, const char *build_id, const char *path);
/* Looks for all of them. */
void file_search_find(struct file_search *, struct modules *, const struct search_dirs *);
/* The module of a noted file, or NULL if prof did not find it. */
struct module *file_search_module(const struct file_search *, const char *file, size_t len);
/* Warns of those that it did not find. */
void file_search_tell_missing(const struct file_search *);

#endif
