/* Sends recordings on to other servers (--forward), and, with --receive-only, receives recordings without keeping them. A recording is
 * acknowledged when it is on this disk for each of the other servers; it leaves the disk when they have acknowledged it in turn. Or it is
 * acknowledged when it is in object storage (arrivals/arrivals.h), and this disk keeps nothing. A
 * server recognizes a recording that it has, so each counts once, however often it was sent and to whom.
 *
 *     DATA/forward/URL/    what waits for a server (postbox.h); '/' in the URL is %2F
 *
 *   forward_open -> forward_start -> forward_begin, forward_take or forward_add, from any thread ... -> forward_close */
#ifndef CANDOR_SERVER_FORWARD_FORWARD_H
#define CANDOR_SERVER_FORWARD_FORWARD_H

#include "store/store.h"

#include <stdatomic.h>

enum { FORWARD_MAX = 8, FORWARD_URL_MAX = 200 };

struct arrivals; /* server/forward/arrivals.h */
struct forward;

struct forward_options {
    struct arrivals *arrivals;        /* with receive_only: recordings are left there, and `urls` is NULL */
    const char *data, *urls;          /* urls: with commas between them; NULL = none */
    const char *token_file, *ca;      /* NULL = no token; the system's certificates */
    bool receive_only;                /* there is no store in `data` */
    const atomic_uint_fast64_t *most; /* bytes that may wait for a server */
    const atomic_bool *stop;          /* once it is set, requests end */
    int (*load)(struct store_profiles *to, const struct envelope *v, struct error *e); /* as in struct store_options */
    void (*tell)(const char *text);                                                    /* prints a line of the log */
};

/* What became of the recordings for a server. */
struct forward_counts {
    const char *url;
    uint64_t waiting, waiting_bytes; /* those that are being sent, too */
    uint64_t sent, failures;         /* since the start; failures: requests, which are sent again */
    uint64_t refused;                /* recordings that it will never take, which stay in a folder */
    uint64_t lost;                   /* since the start: recordings whose files somebody removed */
};

/* Checks the text of --forward: URLs with commas between them. */
int forward_check(const char *urls, struct error *e);
/* Opens what waits. Without a store it also makes DATA, and takes its lock. *out is NULL if the options name no server, and no arrivals.
 * What they refer to must outlive it. Returns 0, or a code with a message in e; -EBUSY if another server uses DATA, or if recordings wait
 * for a server that --forward does not name. */
int forward_open(struct forward **out, const struct forward_options *o, struct error *e);
/* Starts the threads that send. f may be NULL. */
int forward_start(struct forward *f, struct error *e);
/* Ends them, at once if `stop` is set. f may be NULL. */
void forward_close(struct forward *f);

/* --receive-only: begins a new recording, as store_begin does. */
int forward_begin(struct forward *f, struct envelope_writer *w, struct error *e);
/* --receive-only: takes a recording that can be read, as store_add does, with its codes, and -EBUSY if too much waits. out->id is 0;
 * out->duplicate: it waits already. */
int forward_take(struct forward *f, struct envelope_writer *w, const struct envelope_note *note, const uint8_t identity[ENVELOPE_IDENTITY],
                 struct store_added *out, struct error *e);
/* --receive-only: checks that the disk takes a file. */
int forward_check_ready(struct forward *f, struct error *e);
/* With a store: whether a recording may be stored. Returns 0, or -EBUSY with a message in e if too much waits already: what is stored, but
 * does not wait for the other servers, may have no file any more when its sender sends it again. */
int forward_check_room(struct forward *f, struct error *e);
/* With a store: sends this recording of the store on, too. Returns 0 when it waits for each server, or a code with a message in e. */
int forward_add(struct forward *f, const char *file, const uint8_t identity[ENVELOPE_IDENTITY], struct error *e);
/* Counts for the server of this number, from 0 on. Returns false if there is none. */
bool forward_counts(struct forward *f, uint32_t i, struct forward_counts *out);

#endif
