/* Computes the checksum of everything in the store: XXH3, 64 bits. It detects accidental damage, not deliberate changes. */
#ifndef CANDOR_STORE_FILES_CHECKSUM_H
#define CANDOR_STORE_FILES_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

uint64_t checksum_of(const void *bytes, size_t n);

/* Computes the same checksum for bytes that are added piece by piece. */
void *checksum_new(void); /* returns NULL if there is no memory */
void checksum_add(void *state, const void *bytes, size_t n);
uint64_t checksum_end(const void *state);
void checksum_free(void *state); /* state may be NULL */

#endif
