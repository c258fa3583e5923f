/* Computes the key metrics of a recording (base/agreed/key_metrics.h) for each minute, when the server receives it. Each comes from the
 * same place as in reports: from the recording's books, its samples, its halts, or figures that the JVM states. */
#ifndef CANDOR_SERVER_MEASURE_MEASURE_H
#define CANDOR_SERVER_MEASURE_MEASURE_H

#include "server/measure/minutes.h"
#include "store/store.h"

struct intake;

/* Adds the metrics of a JFR recording to to->minutes, and the requests that it counts to `requests`, an initialized profile whose stacks
 * are in to->names. profiles: the recording's n profiles of different kinds, before any is dropped. in: its bytes, which are borrowed.
 * Returns 0, or -ENOMEM with a message in e. A recording whose other content cannot be read has fewer metrics. */
int measure_jfr(struct store_profiles *to, struct profile *const *profiles, uint32_t n, struct profile *requests, const struct intake *in,
                struct error *e);
/* Does the same for a recording of another format. `to` has its profiles, with their final names. */
int measure_values(struct store_profiles *to, const struct envelope_note *note, struct error *e);

/* ---- the sources ---- */

/* measure_books.c: accounts of the books. */
void measure_books(struct minutes *m, const struct profile *p);
/* measure_samples.c: weights of samples. type: as in the store, "cpu:ns". */
void measure_samples(struct minutes *m, const struct profile *p, const char *type);
/* measure_halts.c: halts. Returns 0 or -ENOMEM. */
struct jfr_file;
int measure_halts(struct minutes *m, const struct profile *p, const struct jfr_file *file, struct error *e);
/* measure_readings.c: figures that the JDK's recorder wrote. Returns 0 or -ENOMEM. */
int measure_readings(struct minutes *m, const struct jfr_file *file, struct error *e);
/* measure_requests.c: requests, which tracers write as events of the JDK's recorder. `requests` gets a sample for each second and endpoint
 * with requests; the stack of all of them is in `names`. Returns 0 or -ENOMEM. */
int measure_requests(struct minutes *m, const struct jfr_file *file, struct profile *names, struct profile *requests, struct error *e);

#endif
