/* Reads threads and their states from a chunk's constant pools, each entry once, into the profile; used only by load_events.c. The pools'
 * keys are valid within one chunk only. Functions return 0 or -ENOMEM. */
#ifndef CANDOR_PROFILE_LOAD_LOAD_THREADS_H
#define CANDOR_PROFILE_LOAD_LOAD_THREADS_H

#include "base/map.h"
#include "profile/load/load_part.h"

struct load_threads {
    struct profile *profile;
    struct load_part *part;     /* receives the names of threads */
    struct map threads, states; /* pool key -> id */
};

void load_threads_init(struct load_threads *t, struct profile *p);
void load_threads_deinit(struct load_threads *t);
void load_threads_new_chunk(struct load_threads *t, struct load_part *part);

int load_thread(struct load_threads *t, struct jfr_event *event, const struct jfr_field *f, uint32_t *thread);
int load_state(struct load_threads *t, struct jfr_event *event, const struct jfr_field *f, uint8_t *state);

#endif
