/* Reads a token from a file. A token is not an option, because any user can read a command line. */
#ifndef CANDOR_HTTP_TOKEN_H
#define CANDOR_HTTP_TOKEN_H

#include "base/error.h"

enum { TOKEN_MAX = 4096 };

/* "" when path is. 0 or a negative code with e. */
int token_read(const char *path, char token[TOKEN_MAX], struct error *e);

#endif
