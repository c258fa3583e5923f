/* Reads everything a recording holds, through every function of the reader, and forgets it: for the fuzzer and for the
 * tests of damaged files. */
#ifndef TESTS_JFR_WALK_H
#define TESTS_JFR_WALK_H

#include "jfr/read/reader.h"

struct jfr_walk {
    uint64_t events; /* but for padding */
    uint64_t values, text_bytes;
    struct jfr_problems problems;
};

/* 0, or what jfr_file_open_memory said. */
int jfr_walk(const void *bytes, size_t size, struct jfr_walk *out);
/* The same on an exact copy, so that a read past the end is seen by the sanitizer. */
int jfr_walk_copy(const void *bytes, size_t size, struct jfr_walk *out);

struct jfr_bytes {
    uint8_t *data; /* the caller frees it */
    size_t size;
};
struct jfr_bytes jfr_bytes_of(const char *path);

#endif
