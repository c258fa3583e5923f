/* Computes the key metrics of a recording (base/agreed/key_metrics.h) for each minute, when the server receives it. Each comes from the
 * same place as in reports: from the recording's books, its samples, its halts, or figures that the JVM states. */
#ifndef CANDOR_SERVER_MEASURE_MEASURE_H
#define CANDOR_SERVER_MEASURE_MEASURE_H

#include "events/figures/readings.h"
#include "events/halts.h"
#include "events/recorded.h"
#include "server/measure/minutes.h"
#include "store/store.h"

enum measure_event { /* the absence of their halts means something only if they were recorded (measure_halts.c) */
                     MEASURE_GC,
                     MEASURE_GC_PAUSE,
                     MEASURE_SAFEPOINT,
                     MEASURE_SYNCHRONIZATION,
                     MEASURE_SOCKET_READ,
                     MEASURE_SOCKET_WRITE,
                     MEASURE_FILE_READ,
                     MEASURE_FILE_WRITE,
                     MEASURE_STALL,
                     MEASURE_PIN,
                     MEASURE_EVENTS
};

enum { MEASURE_READERS = 4 };

/* What the metrics need of a JFR recording that its profiles do not have. It is read while the profiles are, chunk by chunk:
 *
 *   measure_begin -> the readers see each chunk -> measure_jfr -> measure_end, in any case */
struct measuring {
    struct halts halts;
    struct halts_reading *halts_reading;
    struct recorded recorded;
    bool by_jdk[MEASURE_EVENTS]; /* the JDK's recorder recorded these events */
    struct readings readings;
    struct measure_requests {    /* requests to each endpoint in each second */
        struct profile *profile; /* has the names of the endpoints */
        struct map places;
        struct measure_second {
            int64_t second;
            uint32_t labels, count;
        } * list;
        uint32_t count, cap;
        bool known; /* a tracer wrote requests */
    } requests;
    struct pass_reader readers[MEASURE_READERS];
};

/* requests: an initialized profile, which receives the requests that the recording counts. Returns 0 or -ENOMEM. */
int measure_begin(struct measuring *r, struct profile *requests);
/* Adds the metrics of the recording to to->minutes, and its requests to their profile, whose stack is that of to->recalled. profiles: the
 * recording's n profiles of different kinds, before any is dropped. Returns 0 or -ENOMEM. */
int measure_jfr(struct store_profiles *to, struct profile *const *profiles, uint32_t n, struct measuring *r);
void measure_end(struct measuring *r);
/* Does the same for a recording of another format. `to` has its profiles, with their final names. */
int measure_values(struct store_profiles *to, const struct envelope_note *note, struct error *e);

/* ---- the sources ---- */

/* measure_books.c: accounts of the books. */
void measure_books(struct minutes *m, const struct profile *p);
/* measure_samples.c: weights of samples. type: as in the store, "cpu:ns". */
void measure_samples(struct minutes *m, const struct profile *p, const char *type);
/* measure_halts.c: halts. */
extern const char *const measure_events[MEASURE_EVENTS];
extern const unsigned measure_halts_of_threads; /* which halts of single threads are read: 1 << HALT_... */
void measure_halts(struct minutes *m, const struct profile *p, const struct measuring *r);
/* measure_readings.c: figures that the JDK's recorder wrote; `list` is sorted. */
void measure_readings(struct minutes *m, const struct readings *list);
/* measure_requests.c: requests, which tracers write as events of the JDK's recorder. measure_requests_take reads a chunk. Then
 * measure_requests adds a sample to their profile for each second and endpoint with requests; the stack of all of them is in `names`. Both
 * return 0 or -ENOMEM. */
int measure_requests_take(void *requests, struct jfr_chunk *chunk);
int measure_requests(struct minutes *m, struct measure_requests *r, struct profile *names);

#endif
