/* Writes the access log, a line of JSON for each request, and reports refused requests to the operator. A thread of its own writes, so that
 * nobody waits for the disk: if the disk is too slow, lines are dropped and counted.
 *
 *   journal_start -> journal_request, journal_reopen -> journal_stop
 *
 * Any thread may call journal_request and journal_reopen. */
#ifndef CANDOR_SERVER_LOGS_JOURNAL_H
#define CANDOR_SERVER_LOGS_JOURNAL_H

#include "base/error.h"

#include <stdint.h>

struct journal;

struct journal_request {
    const char *token, *address, *method, *path; /* token: its name; "" = none */
    const char *problem;                         /* the error in the answer; "" = none */
    unsigned status;                             /* 0 = the connection ended before there was an answer */
    uint64_t received, sent;                     /* bytes */
    uint64_t ns;
};

/* path: where the access log is appended; "-" = standard output; NULL = nowhere. tell: reports a line to the operator. Returns 0, or a code
 * with a message in e. */
int journal_start(struct journal **out, const char *path, void (*tell)(const char *text), struct error *e);
void journal_request(struct journal *j, const struct journal_request *r);
/* Opens the access log by its name again, before the next line is written. If that fails, the log goes on in the old file. */
void journal_reopen(struct journal *j);
/* Returns how many lines were dropped. */
uint64_t journal_dropped(struct journal *j);
/* Writes what is left. j may be NULL. */
void journal_stop(struct journal *j);

#endif
