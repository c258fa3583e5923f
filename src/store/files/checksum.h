/* The checksum of everything in the store: XXH3, 64 bits. It detects damage, not deliberate changes. */
#ifndef CANDOR_STORE_FILES_CHECKSUM_H
#define CANDOR_STORE_FILES_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

uint64_t checksum_of(const void *bytes, size_t n);

/* The same of bytes as they come. */
void *checksum_new(void); /* NULL = out of memory */
void checksum_add(void *state, const void *bytes, size_t n);
uint64_t checksum_end(const void *state);
void checksum_free(void *state); /* NULL is fine */

#endif
