/* The small programs with the real queue that the explorer runs. */
#ifndef MODEL_QUEUE_PROGRAMS_H
#define MODEL_QUEUE_PROGRAMS_H

#include "explore.h"

/* The work of the threads of one program. */
struct queue_program {
    const char *name;
    uint32_t pool_chunks;
    uint32_t chunk_words;    /* 4 or 5, one of them the link */
    const char *producer[2]; /* one queue each: a digit is a record of this many words; 'x' and 'X' are records of 1 and 4 words that are
                              * aborted, 'o' one of 4 words that is never ended */
    const char *consumer;    /* 'a', 'b': read from the first or second queue; 'A', 'B': shrink it */
    bool fits;               /* the pool is never empty: a lost record is a fault */
};

/* Makes a program for the explorer from it; one at a time. */
const struct explore_program *queue_program(const struct queue_program *p);

/* The largest number of atomic operations that a producer needed for one record since the last call. */
unsigned queue_program_steps(void);

#endif
