/* Files for targets that read files: a file in memory, of an input's bytes.  Where it has 0xf5, 'H' and a byte N, there is a hole of
 * 2^(N % 37) bytes, up to 64 GiB, which are zeros that no memory is behind. */
#ifndef TESTS_FUZZ_HOLES_H
#define TESTS_FUZZ_HOLES_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE   /* memfd_create */
#endif
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HOLE_MOST = 37 };

/* Appends at *END, which goes on behind it. */
static inline void
holes_append(int fd, uint64_t *end, const uint8_t *data, size_t size)
{
	size_t from = 0;

	for (size_t i = 0; i <= size; i++) {
		if (i < size && (i + 2 >= size || data[i] != 0xf5 || data[i + 1] != 'H'))
			continue;
		if (i > from && pwrite(fd, data + from, i - from, (off_t)*end) != (ssize_t)(i - from))
			abort();
		*end += i - from;
		if (i == size)
			break;
		*end += UINT64_C(1) << data[i + 2] % HOLE_MOST;
		from = i + 3;
		i += 2;
	}
	if (ftruncate(fd, (off_t)*end))
		abort();
}

static inline int
holes_file(const uint8_t *data, size_t size)
{
	int fd = memfd_create("input", MFD_CLOEXEC);
	uint64_t end = 0;

	if (fd < 0)
		abort();
	holes_append(fd, &end, data, size);
	return fd;
}

/* Bytes of memory that the file takes: reading a hole must not make it memory. */
static inline uint64_t
holes_blocks(int fd)
{
	struct stat st;

	return fstat(fd, &st) ? 0 : (uint64_t)st.st_blocks * 512;
}

#endif
