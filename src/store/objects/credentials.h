/* Whose name requests to S3 are signed in: from the environment, or from a file as Amazon's own programs have it:
 *
 *     [default]
 *     aws_access_key_id = AKIA...
 *     aws_secret_access_key = ...
 *     aws_session_token = ...        (if there is one)
 */
#ifndef CANDOR_STORE_OBJECTS_CREDENTIALS_H
#define CANDOR_STORE_OBJECTS_CREDENTIALS_H

#include "base/error.h"

struct credentials {
    char key[512];    /* "ACCESS-KEY:SECRET-KEY" */
    char token[4096]; /* "" = none */
};

/* Reads them. path: NULL = from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN. A file may change: read it for each
 * request. Returns 0, or a code with a message in e. */
int credentials_read(struct credentials *c, const char *path, struct error *e);

#endif
