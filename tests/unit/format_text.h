/* A profile as text: one line for each distinct sample, sorted, so that two profiles can be compared. */
#ifndef TESTS_FORMAT_TEXT_H
#define TESTS_FORMAT_TEXT_H

#include "profile/profile.h"

/* What the text includes, besides stacks by name, weights and their sum. */
enum format_text {
    FORMAT_THREADS = 1, /* names */
    FORMAT_THREAD_IDS = 2,
    FORMAT_STATES = 4,
    FORMAT_OUTCOMES = 8,
    FORMAT_LINES = 16,
    FORMAT_TYPES = 32, /* frame types, bytecode indices and descriptors */
    FORMAT_TIMES = 64, /* each sample has its own line */
    FORMAT_COUNTS = 128,
    FORMAT_LABELS = 512,
    FORMAT_PROCESS = 256, /* the program, the time and the interval of the recording */
};

/* The caller frees it. Out of memory ends the test. */
char *format_text(const struct profile *p, unsigned what);

#endif
