/* Reads a token from a file. A token is not an option, because any user can read a command line. */
#ifndef CANDOR_HTTP_TOKEN_H
#define CANDOR_HTTP_TOKEN_H

#include "base/error.h"

enum { TOKEN_MAX = 4096 };

/* Reads the token. If path is "", so is the token. Returns 0 or a negative code with a message in e. */
int token_read(const char *path, char token[TOKEN_MAX], struct error *e);

#endif
