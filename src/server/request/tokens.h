/* Reads the permissions from a file with one line for each token: `NAME SCOPES SHA256`. Scopes are separated by commas. The file has only
 * the digest of a token, in hexadecimal. Empty lines and lines that begin with '#' are comments. The file is read once; afterwards, any
 * thread may check tokens. */
#ifndef CANDOR_SERVER_REQUEST_TOKENS_H
#define CANDOR_SERVER_REQUEST_TOKENS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum token_scope { TOKEN_READ = 1, TOKEN_WRITE = 2 };
enum { TOKENS_DIGEST = 32, TOKENS_MAX = 1000 };

struct token {
    char name[64];
    unsigned scopes;
    uint8_t digest[TOKENS_DIGEST];
};

struct tokens {
    struct token *list;
    uint32_t count, cap;
};

int tokens_read(struct tokens *t, const char *path, struct error *e);
void tokens_deinit(struct tokens *t);
/* Returns the scopes of the token in an Authorization header (Bearer, or the password of Basic). Returns 0 if the token is unknown. */
unsigned tokens_scopes(const struct tokens *t, const char *authorization);
/* Makes a token. wanted: "NAME:read,write". Adds its line to the file, and prints the token on standard output. */
int tokens_make(const char *path, const char *wanted, struct error *e);

#endif
