/* Visits the selected events of a file. Chunks come in the order of the file, and the events within a chunk in the order of their start
 * times. In the file, events are in the order in which threads' buffers were flushed. */
#ifndef CANDOR_EVENTS_WALK_H
#define CANDOR_EVENTS_WALK_H

#include "events/selection.h"

/* Receives an event. A return value other than 0 ends the walk, and is the result of walk_events. */
typedef int walk_visit(void *context, struct jfr_event *event);

/* Visits the events. Returns 0, the value with which visit ended the walk, or a negative code with e. Memory: 16 bytes for each selected
 * event of one chunk. Damage is added to problems. */
int walk_events(const struct jfr_file *file, struct selection *selection, walk_visit *visit, void *context, struct jfr_problems *problems,
                struct error *e);

#endif
