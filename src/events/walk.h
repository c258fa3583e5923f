/* The selected events of a file. Chunks come in the order of the file, and the events within a chunk in the order of their
 * start times; in the file they are in the order in which threads' buffers were flushed. */
#ifndef CANDOR_EVENTS_WALK_H
#define CANDOR_EVENTS_WALK_H

#include "events/selection.h"

/* A value other than 0 ends the walk, and is its result. */
typedef int walk_visit(void *context, struct jfr_event *event);

/* 0, what visit returned, or a negative code with its error. Memory: 16 bytes for each wanted event of one chunk. Damage goes
 * into problems. */
int walk_events(const struct jfr_file *file, struct selection *selection, walk_visit *visit, void *context, struct jfr_problems *problems,
                struct error *e);

#endif
