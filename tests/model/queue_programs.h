/* The small programs around the real queue that the explorer runs. */
#ifndef MODEL_QUEUE_PROGRAMS_H
#define MODEL_QUEUE_PROGRAMS_H

#include "explore.h"

/* What the threads of one program do. */
struct queue_program {
    const char *name;
    uint32_t pool_chunks;
    uint32_t chunk_words;    /* 4 or 5, one of them the link */
    const char *producer[2]; /* one queue each: a digit is a record of so many words, 'x' and 'X' one of 1 and 4 that is
                                aborted, 'o' one of 4 that is never ended */
    const char *consumer;    /* 'a', 'b': read from the first, second queue; 'A', 'B': shrink it */
    bool fits;               /* the pool is never empty: a lost record is a fault */
};

/* Makes the explorer's program of it; one at a time. */
const struct explore_program *queue_program(const struct queue_program *p);

/* The most atomic operations that a producer needed for one record since the last call. */
unsigned queue_program_steps(void);

#endif
