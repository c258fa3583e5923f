/* Templates of messages: text with {{FIELD}} in it, for targets whose format is not built in.
 *
 *     status, rule, of, text, value, low, high, threshold, startsAt, endsAt, fingerprint, test, label.NAME, annotation.NAME
 *
 * A field that an alert does not have is empty. */
#ifndef CANDOR_SERVER_ALERTS_TELL_TEMPLATE_H
#define CANDOR_SERVER_ALERTS_TELL_TEMPLATE_H

#include "server/alerts/tell/message.h"

/* Reads the file of a template into text, and checks its fields. Returns 0, or -EINVAL with a message in e. */
int template_read(char *text, size_t size, const char *path, struct error *e);
/* Writes the text with the fields of an alert. json: values get the escapes that texts in JSON need. */
void template_put(FILE *out, const char *text, const struct alert_note *note, bool json);

#endif
