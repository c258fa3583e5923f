/* The audit log: a line of JSON for each request that changes something, and for each change that the server makes by itself. It is
 * separate from the access log (journal.h), because it must not lose lines: the line is on the disk before the answer is sent.
 *
 *   audit_open -> audit_request, audit_event, audit_reopen -> audit_close
 *
 * Of requests that were answered with 401 (no known token) a minute has 60 lines at most. The log's next line gives the number of the rest.
 *
 * Any thread may call these functions. An audit that is NULL writes nothing. */
#ifndef CANDOR_SERVER_LOGS_AUDIT_H
#define CANDOR_SERVER_LOGS_AUDIT_H

#include "base/error.h"

#include <stdint.h>

struct audit;

struct audit_request {
    const char *token, *address, *method, *path; /* token: who holds it; "" = nobody is known */
    const char *change;                          /* what was to be changed, as it was sent; "" = nothing */
    const char *problem;                         /* why it was refused; "" = it was not */
    unsigned status;                             /* of the answer */
};

/* path: where lines are appended; "-" = standard output; NULL = nowhere, and *out is NULL. tell: reports a line to the operator if a line
 * cannot be written. Returns 0, or a code with a message in e. */
int audit_open(struct audit **out, const char *path, void (*tell)(const char *text), struct error *e);
void audit_request(struct audit *a, const struct audit_request *r);
/* Records a change that no request has caused. event: what kind of change; text: the change. */
void audit_event(struct audit *a, const char *event, const char *text);
/* Opens the file by its name again. If that fails, the log goes on in the old file. */
void audit_reopen(struct audit *a);
/* Returns how many lines could not be written. */
uint64_t audit_lost(struct audit *a);
void audit_close(struct audit *a);

#endif
