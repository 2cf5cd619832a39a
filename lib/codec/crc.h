/* Checksums of compressed streams and debug files. */
#ifndef LIB_CODEC_CRC_H
#define LIB_CODEC_CRC_H

#include <stddef.h>
#include <stdint.h>

/* SUM with N more bytes.  CRC-32 (gzip, .gnu_debuglink, xz) and CRC-64 (xz) begin with 0, Adler-32 (zlib) with 1. */
uint32_t crc32_add(uint32_t sum, const void *bytes, size_t n);
uint64_t crc64_add(uint64_t sum, const void *bytes, size_t n);
uint32_t adler32_add(uint32_t sum, const void *bytes, size_t n);

#endif
