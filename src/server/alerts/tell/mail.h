/* The e-mail that a target gets: text, with the rule and its states in the subject. */
#ifndef CANDOR_SERVER_ALERTS_TELL_MAIL_H
#define CANDOR_SERVER_ALERTS_TELL_MAIL_H

#include "server/alerts/alerts_internal.h"
#include "server/alerts/tell/message.h"

/* Writes the letter. Returns 0 or -ENOMEM. */
int mail_put(FILE *out, const struct alert_target *target, const struct alert_note *notes, uint32_t count, int64_t now);
/* Sends a letter. Returns 0, or a code with a message in e. */
int mail_send_to(struct alerts *a, const struct alert_target *target, const char *bytes, size_t n, struct error *e);
/* Sets a key of a target of this type: from, recipients, user, password-file, starttls, subject. Returns -ENOENT if it is none of them, 0,
 * or -EINVAL with a message in e. */
int mail_set(struct alert_target *target, const char *key, const char *value, struct error *e);
/* Checks a target when its section is complete. Returns 0, or -EINVAL with a message in e. */
int mail_finish(const struct alert_target *target, struct error *e);

#endif
