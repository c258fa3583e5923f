/* The profiles that were asked for, with what became of them in each JVM, and their file, profiles.json in the server's data. The file is
 * written as a whole and synced before anybody is told of a change, so that requests survive kill -9.
 *
 * A request is an object of JSON, and so is each of its tasks: one JVM that was asked. The members are those of the file
 * (docs/formats/server-api.md#profiles-on-demand). The caller locks. */
#ifndef CANDOR_SERVER_PROFILES_REQUESTS_H
#define CANDOR_SERVER_PROFILES_REQUESTS_H

#include "server/profiles/wanted.h"
#include "store/files/labels.h"

#include <jansson.h>

enum {
    REQUESTS_MAX = 1000,        /* kept; the oldest that are over are forgotten first */
    REQUESTS_OPEN_MAX = 100,    /* that wait or run at a time */
    REQUESTS_OPEN_OF_SOME = 25, /* the same of tokens that are limited to the same services, so that others can ask, too */
    REQUESTS_TASKS_MAX = 1000,
    REQUESTS_REASON_MAX = 500, /* bytes of a daemon's reason that are kept */
};

struct requests {
    json_t *list; /* the oldest first */
    int64_t next; /* the number of the next one */
    char file[4096];
};

/* Reads the file; no file is an empty list. If the file is damaged, returns -EBADMSG with a message in e, and the list is empty; the next
 * number is then `now`, because the numbers of the lost requests are the labels of recordings. The silence of daemons begins now. */
int requests_open(struct requests *r, const char *data, int64_t now, struct error *e);
void requests_close(struct requests *r);
/* Writes the file. Returns 0, or a code with a message in e. */
int requests_save(const struct requests *r, struct error *e);

/* Adds a request. Returns its number, or a negative code with a message in e: -EBUSY if too many are open. now: seconds since the epoch. */
int64_t requests_add(struct requests *r, const struct wanted *w, int64_t now, struct error *e);
/* Forgets the request that was added last, because it could not be saved. */
void requests_take_back(struct requests *r);

/* Returns the state of a request: waiting, running, done, failed or expired. The states of a task are offered, recording, done, cut, failed
 * and refused. If its daemon has fallen silent, it is unanswered or lost. */
const char *requests_state(const json_t *request, int64_t now);
const char *requests_task_state(const json_t *request, const json_t *task, int64_t now);
/* Whether another JVM may still be asked. */
bool requests_is_open(const json_t *request, int64_t now);
/* Returns a new array of the requests that wait or run; NULL = no memory. */
json_t *requests_pending(const struct requests *r, int64_t now);

/* A JVM, as its daemon describes it. */
struct requests_jvm {
    const char *host, *id, *service, *refuses; /* refuses: NULL = it allows recordings on demand */
    const struct labels *labels;
};

/* Adds a task to each open one of the pending requests that means the JVM, and adds to `offers` what the daemon must do for them. Sets
 * *changed if there is a new task. Returns 0 or -ENOMEM. */
int requests_match(json_t *pending, const struct requests_jvm *jvm, int64_t now, json_t *offers, bool *changed);
/* Notes what a daemon says of a task. services: a pattern: of which services the daemon may speak. Sets *changed if the state changes. */
void requests_report(struct requests *r, const char *host, const json_t *report, const char *services, int64_t now, bool *changed);

#endif
