/* Reads the permissions from a file with one line for each token: `NAME SCOPES SHA256`, and optionally limits (quotas.h) such as
 * ` max-bytes-per-hour=2G`, and at the end ` service=PATTERN`. Scopes are separated by commas. The file has only the digest of a token, in
 * hexadecimal. Empty lines and lines that begin with '#' are comments.
 *
 * In place of the digest, a line may have a word that says how the server recognizes the holder without a token. NAME is then a pattern
 * (base/text/pattern.h):
 *
 *     user          a person, as the proxy in front of the server names them
 *     group         persons of this group, as the proxy says
 *     certificate   a client with a certificate of this name
 *
 * Any thread may call the functions that find, also while another one calls tokens_read. */
#ifndef CANDOR_SERVER_ACCESS_TOKENS_H
#define CANDOR_SERVER_ACCESS_TOKENS_H

#include "base/error.h"
#include "server/access/quotas.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* read: queries and downloads; write: sends recordings; admin: changes the state of the server; profile: asks for recordings. */
enum token_scope { TOKEN_READ = 1, TOKEN_WRITE = 2, TOKEN_ADMIN = 4, TOKEN_PROFILE = 8, TOKEN_ALL = 15 };
enum token_kind { TOKEN_SECRET, TOKEN_USER, TOKEN_GROUP, TOKEN_CERTIFICATE };
enum { TOKENS_DIGEST = 32, TOKENS_MAX = 10000, TOKENS_NAME = 64, TOKENS_PATTERN = 256, TOKENS_HOLDER = 256 };

#define TOKENS_ANY_SERVICE "*"

struct token {
    char name[TOKENS_NAME];     /* of the line, for limits and metrics */
    char holder[TOKENS_HOLDER]; /* who holds it, for logs: the name of the line, or of the person or the certificate */
    enum token_kind kind;
    unsigned scopes;
    struct quota_limits limits;
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
/* Finds the token in an Authorization header (Bearer, or the password of Basic), and copies it. Returns false if there is none. */
bool tokens_find(struct tokens *t, const char *authorization, struct token *out);
/* Finds the token that is the whole of `tenant`, the header in which Pyroscope's clients send a tenant. tenant: NULL = none. */
bool tokens_find_tenant(struct tokens *t, const char *tenant, struct token *out);
/* Returns a number for the secret in such a header, whether it is good or not: the same for both forms of the header. 0 = there is none. */
uint64_t tokens_number(const char *authorization);
/* Finds the first line that is for the person, or for one of their groups (with commas between them), or for the certificate, and copies
 * it. user, groups, certificate: NULL = none. Returns false if there is none. */
bool tokens_find_person(struct tokens *t, const char *user, const char *groups, struct token *out);
bool tokens_find_certificate(struct tokens *t, const char *certificate, struct token *out);
/* Visits each line, in the order of the file, until a visit returns anything but 0. Returns 0 or -ENOMEM. */
int tokens_each(struct tokens *t, int (*visit)(void *context, const struct token *token), void *context);
/* The word of a scope or a kind, as lines of the file and answers have it; NULL if there is no such scope. */
const char *token_scope_word(enum token_scope scope);
const char *token_kind_word(enum token_kind kind);
/* Whether a line has this name. */
bool tokens_has(struct tokens *t, const char *name);
/* Whether the token is for some services only. */
bool token_is_bound(const struct token *t);
/* Makes a token. wanted: "NAME:read,write", or with limits and services, as at the end of a line, "NAME:read,write:service=PATTERN". Adds
 * its line to the file, and prints the token on standard output. */
int tokens_make(const char *path, const char *wanted, struct error *e);

#endif
