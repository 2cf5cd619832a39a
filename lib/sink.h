/* Writing text and bytes: buffered, the first failure latched; ask once at the end. */
#ifndef LIB_SINK_H
#define LIB_SINK_H

#include <stddef.h>
#include <stdint.h>

struct sink {
	int fd;             /* -1: kept in memory, BUF grows */
	int err;            /* errno of the first failure, or 0; later writes do nothing */
	uint32_t cap;
	size_t len;         /* of BUF */
	uint64_t flushed;   /* bytes handed to FD so far */
	char *buf;
	void (*drain)(void *ctx, const void *bytes, size_t n);   /* takes the bytes in FD's place, or NULL */
	void *ctx;
};

void sink_open(struct sink *, int fd);
/* Opens a sink that hands its bytes to DRAIN. */
void sink_open_to(struct sink *, void (*drain)(void *ctx, const void *bytes, size_t n), void *ctx);
/* Flushes, gives the buffer back (not the descriptor), returns the latched errno or 0. */
int sink_close(struct sink *);
int sink_flush(struct sink *);
uint64_t sink_total(const struct sink *);
/* A failure of the writer's own, such as ENOMEM. */
void sink_fail(struct sink *, int err);

void sink_put(struct sink *, const void *, size_t n);
void sink_str(struct sink *, const char *);
void sink_char(struct sink *, char);
void sink_u64(struct sink *, uint64_t);
void sink_hex(struct sink *, uint64_t);
/* V divided by ten to the PLACES, as a decimal number without trailing zeros: (1500, 3) is 1.5. */
void sink_decimal(struct sink *, uint64_t v, unsigned places);
/* printf, for text that prof does not write for each sample. */
void sink_fmt(struct sink *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* S in quotes for JSON; bytes that are not UTF-8 become U+FFFD. */
void sink_json(struct sink *, const char *s);
/* S escaped for JSON without the quotes, for a string in several parts. */
void sink_json_part(struct sink *, const char *s);

/* The length of the UTF-8 sequence at P (RFC 3629: neither overlong nor a surrogate), or 0 where it is none. */
unsigned utf8_len(const char *p);

#endif
