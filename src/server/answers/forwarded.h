/* Receives a recording that another server has received, as that server keeps it while it waits (files/envelope.h). */
#ifndef CANDOR_SERVER_ANSWERS_FORWARDED_H
#define CANDOR_SERVER_ANSWERS_FORWARDED_H

#include "server/request/context.h"

/* Stores the recording with what the other server noted: its labels, and when it came. Returns 0 or a code of arrival_store, -EINVAL if the
 * bytes are not such a file. */
int forwarded_store(struct server *s, const struct token *by, const void *bytes, uint64_t n, struct store_added *added, struct error *e);

#endif
