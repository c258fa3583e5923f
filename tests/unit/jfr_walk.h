/* Reads everything in a recording, through every function of the reader, and discards it: for the fuzzer and for tests of damaged files. */
#ifndef TESTS_JFR_WALK_H
#define TESTS_JFR_WALK_H

#include "jfr/read/reader.h"

struct jfr_walk {
    uint64_t events; /* but for padding */
    uint64_t values, text_bytes;
    struct jfr_problems problems;
};

/* Returns 0, or the result of jfr_file_open_memory. */
int jfr_walk(const void *bytes, size_t size, struct jfr_walk *out);
/* The same on a copy of exactly this size, so that the sanitizer detects a read past the end. */
int jfr_walk_copy(const void *bytes, size_t size, struct jfr_walk *out);

struct jfr_bytes {
    uint8_t *data; /* the caller frees it */
    size_t size;
};
struct jfr_bytes jfr_bytes_of(const char *path);

#endif
