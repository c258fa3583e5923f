/* Reads the permissions from a file with one line for each token: `NAME SCOPES SHA256`, and optionally ` service=PATTERN`. Scopes are
 * separated by commas. The file has only the digest of a token, in hexadecimal. Empty lines and lines that begin with '#' are comments.
 *
 * Any thread may call tokens_find, also while another one calls tokens_read. */
#ifndef CANDOR_SERVER_REQUEST_TOKENS_H
#define CANDOR_SERVER_REQUEST_TOKENS_H

#include "base/error.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* read: queries and downloads; write: sends recordings; admin: changes the state of the server; profile: asks for recordings. */
enum token_scope { TOKEN_READ = 1, TOKEN_WRITE = 2, TOKEN_ADMIN = 4, TOKEN_PROFILE = 8, TOKEN_ALL = 15 };
enum { TOKENS_DIGEST = 32, TOKENS_MAX = 10000, TOKENS_NAME = 64, TOKENS_PATTERN = 256 };

#define TOKENS_ANY_SERVICE "*"

struct token {
    char name[TOKENS_NAME];
    unsigned scopes;
    char services[TOKENS_PATTERN]; /* a pattern (base/text/pattern.h) for the services that may be read and written; "" matches none */
    uint8_t digest[TOKENS_DIGEST];
};

struct tokens {
    pthread_rwlock_t lock; /* protects the other members */
    struct token *list;
    uint32_t count, cap;
};

/* Initializes the tokens; without a file, there are none. */
void tokens_init(struct tokens *t);
void tokens_deinit(struct tokens *t);
/* Replaces all tokens by those of the file. Returns 0, or a code with a message in e; then the tokens stay as they were. */
int tokens_read(struct tokens *t, const char *path, struct error *e);
/* Finds the token in an Authorization header (Bearer, or the password of Basic), and copies it. Without that header, the token is the whole
 * of `tenant`, the header in which Pyroscope's clients send a tenant. Each may be NULL. Returns false if there is no such token. */
bool tokens_find(struct tokens *t, const char *authorization, const char *tenant, struct token *out);
/* Whether the token is for some services only. */
bool token_is_bound(const struct token *t);
/* Makes a token. wanted: "NAME:read,write", or "NAME:read,write:service=PATTERN". Adds its line to the file, and prints the token on
 * standard output. */
int tokens_make(const char *path, const char *wanted, struct error *e);

#endif
