/* Reads the output of a program with known CPU times for one round. README.md describes the protocol. */
#ifndef CANDOR_VERIFY_TRUTH_H
#define CANDOR_VERIFY_TRUTH_H

#include <stdbool.h>
#include <stdint.h>

enum { TRUTH_PARTS_MAX = 64, TRUTH_CARRIERS_MAX = 4, TRUTH_WORD_MAX = 96 };

struct truth_part {
    char name[TRUTH_WORD_MAX];
    char threads[TRUTH_WORD_MAX]; /* the beginning of the threads' names */
    char method[TRUTH_WORD_MAX];  /* pkg.Class.method, "" = any */
    uint64_t ns;
};

struct truth {
    struct truth_part parts[TRUTH_PARTS_MAX];
    uint32_t count;
    char carriers[TRUTH_CARRIERS_MAX][TRUTH_WORD_MAX]; /* beginnings of names of threads that also work for the round, from begin_ns on */
    uint32_t carrier_count;
    uint64_t cpu_ns;          /* CPU time of all threads of the round */
    int64_t begin_ns, end_ns; /* begin and end of the round, since the epoch */
};

/* Reads one line of the program, and changes the line. Returns 1 if it was the last one, 0 if more follow, -EPROTO if it violates the
 * protocol, -ENOENT if it does not belong to the protocol. */
int truth_take(struct truth *t, char *line);
/* Checks that the parts fit into the whole. Returns 0 or -EPROTO. */
int truth_check(const struct truth *t);

#endif
