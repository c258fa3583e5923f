/* What a profile says, as text: one line per kind of sample, sorted, so that two profiles can be held against each other. */
#ifndef TESTS_FORMAT_TEXT_H
#define TESTS_FORMAT_TEXT_H

#include "profile/profile.h"

/* What of it is told; stacks by name, weights and their sum always are. */
enum format_text {
    FORMAT_THREADS = 1, /* names */
    FORMAT_THREAD_IDS = 2,
    FORMAT_STATES = 4,
    FORMAT_OUTCOMES = 8,
    FORMAT_LINES = 16,
    FORMAT_TYPES = 32, /* of frames, and bytecode indices and descriptors */
    FORMAT_TIMES = 64, /* each sample is a line of its own */
    FORMAT_COUNTS = 128,
    FORMAT_LABELS = 512,
    FORMAT_PROCESS = 256, /* what was recorded, when, and with which interval */
};

/* The caller frees it. Out of memory ends the test. */
char *format_text(const struct profile *p, unsigned what);

#endif
