/* Names for places in files that need no symbols here, because another machine will name them: BUILD-ID+0xADDRESS, or
 * /ITS/PATH+0xADDRESS if a file has no id; the address is as linked. */
#ifndef OUT_PROFILE_RAW_ADDRESS_H
#define OUT_PROFILE_RAW_ADDRESS_H

#include "profile.h"

struct raw_address {
	const char *file;          /* LEN characters: the id, or the path */
	size_t len;
	bool by_id;
	uint64_t address;
};

/* The function that stands for WHERE only by its file and address; false if it lies in no file. */
bool raw_address_function(struct profile *, const struct location *where, uint32_t *function);
/* Whether NAME is such a name; fills in what it says. */
bool raw_address_parse(const char *name, struct raw_address *);
/* Gives all places in files such functions.  Call it before profile_name. */
void raw_address_names(struct profile *);

#endif
