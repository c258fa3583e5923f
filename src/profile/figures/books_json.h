/* The books as JSON objects, the same in the report and inside the flame graph (docs/formats/report-json.md); null if the
 * recording has no books of that kind. */
#ifndef CANDOR_PROFILE_FIGURES_BOOKS_JSON_H
#define CANDOR_PROFILE_FIGURES_BOOKS_JSON_H

#include "base/text/jsonw.h"
#include "profile/profile.h"

void books_json(struct jsonw *j, const struct profile *p); /* of the CPU time */
void books_json_thread_time(struct jsonw *j, const struct profile *p); /* of the event safepoint */
void books_json_halts(struct jsonw *j, const struct profile *p); /* of the event halt */
void books_json_allocations(struct jsonw *j, const struct profile *p); /* of the event alloc; bytes */
void books_json_wall(struct jsonw *j, const struct profile *p);        /* of the event wall */
void books_json_locks(struct jsonw *j, const struct profile *p);       /* of the event lock */
void books_json_healing(struct jsonw *j, const struct profile *p);    /* of code that was compiled anew */
void books_json_events(struct jsonw *j, const struct profile *p);      /* of an event that perf counts; events */

#endif
