/* Functions for all protocols by which recordings are received: the recording's identity, its turn to be read, and the reason for a
 * refusal. */
#ifndef CANDOR_SERVER_REQUEST_ARRIVAL_H
#define CANDOR_SERVER_REQUEST_ARRIVAL_H

#include "server/request/context.h"
#include "store/files/envelope.h"

#include <gnutls/crypto.h>
#include <stdbool.h>

/* Waits until a recording may be read. Returns 0, or -EBUSY with a message in e. After 0, call arrival_turn_end. */
int arrival_turn(struct server *s, struct error *e);
void arrival_turn_end(struct server *s);

/* Computes the recording's identity: the digest of its content, its labels and its times. So the same stacks at another time are another
 * recording. Returns 0 or -ENOMEM. */
int arrival_identity(gnutls_hash_hd_t content, const struct envelope_note *note, uint8_t identity[ENVELOPE_IDENTITY]);

/* Returns how to count a recording that failed with this code. */
enum refusal arrival_refusal(int rc);
/* Whether the same recording may succeed later. */
bool arrival_may_retry(int rc);

#endif
