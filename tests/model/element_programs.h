/* The small programs around the queues of elements that the explorer runs. */
#ifndef MODEL_ELEMENT_PROGRAMS_H
#define MODEL_ELEMENT_PROGRAMS_H

#include "explore.h"

enum element_queue {
    SPSC_ARRAY,
    SPSC_CHUNKED,
    SPSC_GROWABLE,
    SPSC_LINKED,
    MPSC_ARRAY,
    MPSC_CHUNKED,
    MPSC_LINKED,
    SPMC_ARRAY,
    MPMC_ARRAY,
};

/* What the threads of one program do. */
struct element_program {
    const char *name;
    enum element_queue queue;
    unsigned capacity;       /* of arrays, of growable and bounded queues; 0: unbounded */
    unsigned ring;           /* slots of a chunk, or growable's first ring */
    unsigned chunks;         /* of the pool: rings, nodes */
    unsigned lead, held;     /* elements that came and went before the threads start, and that wait then */
    const char *producer[2]; /* 'o': offer, 'r': relaxed_offer; an element each */
    const char *consumer[2]; /* 'p': poll, 'r': relaxed_poll, 'e': is_empty, and poll if it is not, 'k': peek and poll;
                                'w': walk; of arrays also by a second thread that is no consumer;
                                'b': as 'e' by relaxed_poll, which is a planted fault where there are bubbles */
    bool fits;               /* there is always room: an offer that fails is a fault */
};

/* Makes the explorer's program of it; one at a time. */
const struct explore_program *element_program(const struct element_program *p);

#endif
