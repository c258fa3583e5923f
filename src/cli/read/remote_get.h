/* Sends one query to a server, or one message. The options --token-file and --ca-file are the command's (REMOTE_OPTIONS). */
#ifndef CANDOR_CLI_READ_REMOTE_GET_H
#define CANDOR_CLI_READ_REMOTE_GET_H

#include "cli/cli.h"
#include "http/fetch.h"
#include "http/post.h"

/* Asks the server at `address` (http://HOST:PORT) for a path with its query, such as "/v1/services?from=-1h". Returns CLI_OK with an answer
 * of status 200, or a status after it has printed why there is none. Call fetch_deinit in both cases. */
int remote_get(const struct cli_args *args, const char *address, const char *query, struct fetch_answer *answer);
/* Sends a message to a path of the server, and expects the status 200. answer: receives what the server says. Returns an exit status, as
 * remote_get does. */
int remote_post(const struct cli_args *args, const char *address, const char *path, const char *type, const void *bytes, size_t n,
                struct post_answer *answer);

#endif
