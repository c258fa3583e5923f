/* The body that a target gets, in its format. */
#ifndef CANDOR_SERVER_ALERTS_TELL_BODY_H
#define CANDOR_SERVER_ALERTS_TELL_BODY_H

#include "server/alerts/tell/message.h"

/* Makes the body for a target. now: seconds since the epoch. The caller frees *bytes. Returns 0 or -ENOMEM. */
int body_make(const struct alert_target *target, const struct alert_note *notes, uint32_t count, int64_t now, char **bytes, size_t *n);
/* Returns how many alerts one body for the target can be about. */
uint32_t body_most(const struct alert_target *target);
/* Writes the address to which bodies are sent. */
void body_url(const struct alert_target *target, char *out, size_t size);

#endif
