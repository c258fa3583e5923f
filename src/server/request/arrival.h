/* Shared by all the ways in which recordings come: their identity, their turn to be read, and the word for a refusal. */
#ifndef CANDOR_SERVER_REQUEST_ARRIVAL_H
#define CANDOR_SERVER_REQUEST_ARRIVAL_H

#include "server/request/context.h"
#include "store/files/envelope.h"

#include <gnutls/crypto.h>
#include <stdbool.h>

/* Waits until a recording may be read. 0, or -EBUSY with its line; after 0 call arrival_turn_end. */
int arrival_turn(struct server *s, struct error *e);
void arrival_turn_end(struct server *s);

/* The recording's identity: the digest of the content, its labels and its times. So the same stacks at another time are another
 * recording. 0 or -ENOMEM. */
int arrival_identity(gnutls_hash_hd_t content, const struct envelope_note *note, uint8_t identity[ENVELOPE_IDENTITY]);

/* How a recording that failed with this code is counted. */
enum refusal arrival_refusal(int rc);
/* Whether the same recording may be taken later. */
bool arrival_may_retry(int rc);

#endif
