/* Silences: while one lasts, alerts that it is about are not sent. A person begins it, for a rule, for a value of the rules' label `each`,
 * or for both, and it ends by itself or when a person ends it. Quiet times (quiet.h) are in the file of rules and recur; silences are made
 * over HTTP while the server runs, and happen once.
 *
 * They are in a file of their own, silences.json in the server's data, which is written as a whole and synced before anybody is told of a
 * change. A silence is an object of JSON with the members of the file (docs/formats/server-api.md#silences). The caller locks. */
#ifndef CANDOR_SERVER_ALERTS_SILENCE_SILENCES_H
#define CANDOR_SERVER_ALERTS_SILENCE_SILENCES_H

#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    SILENCES_MAX = 1000,        /* kept; of those that are over, the oldest are forgotten first */
    SILENCES_LASTING_MAX = 200, /* that last at a time */
    SILENCES_NOTE_MAX = 500,    /* bytes */
    SILENCES_BY_MAX = 256,
    SILENCES_DAYS_MAX = 90, /* the longest silence */
};

struct silences {
    json_t *list; /* the oldest first */
    int64_t next; /* the number of the next one */
    char file[4096];
};

/* What somebody wants to silence. */
struct silence_wanted {
    const char *rule, *of; /* the name of a rule; a value of `each`; NULL = any, but not both */
    const char *note, *by; /* why, for people; who wants it */
    int64_t seconds;
};

/* Reads the file; no file is an empty list. If the file is damaged, returns -EBADMSG with a message in e, and the list is empty; the next
 * number is then `now`, because the audit log has the numbers of the lost ones. now: seconds since the epoch, here and below. */
int silences_open(struct silences *s, const char *data, int64_t now, struct error *e);
void silences_close(struct silences *s);
/* Adds a silence and writes the file. Returns its number, or a negative code with a message in e: -EBUSY if too many last. */
int64_t silences_add(struct silences *s, const struct silence_wanted *w, int64_t now, struct error *e);
/* Ends a silence and writes the file. Returns 0, or a code with a message in e: -ENOENT if no silence of that number lasts. */
int silences_end(struct silences *s, int64_t id, const char *by, int64_t now, struct error *e);
/* Returns the number of a silence that lasts and is about the alert of that rule and value (NULL = the rule has no `each`); 0 = none. */
int64_t silences_find(const struct silences *s, const char *rule, const char *value, int64_t now);
/* Replaces all silences in memory by those of another server. The file stays as it is until the next change. list: takes the reference. */
void silences_use(struct silences *s, json_t *list, int64_t next);
/* Whether the silence lasts. */
bool silences_lasts(const json_t *silence, int64_t now);

#endif
