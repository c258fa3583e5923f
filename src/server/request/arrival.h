/* Functions for all protocols by which recordings are received: whether the client may send them, their turn to be read, how they are
 * stored, and the reason for a refusal. */
#ifndef CANDOR_SERVER_REQUEST_ARRIVAL_H
#define CANDOR_SERVER_REQUEST_ARRIVAL_H

#include "server/request/context.h"
#include "store/files/envelope.h"

#include <gnutls/crypto.h>
#include <stdbool.h>

/* Waits until a recording of this size, of the token's holder, may be read. Small ones do not wait. Returns 0, or -EBUSY with a message in
 * e. After 0, call arrival_turn_end with the same size. */
int arrival_turn(struct server *s, const struct token *by, uint64_t bytes, struct error *e);
void arrival_turn_end(struct server *s, const struct token *by, uint64_t bytes);

/* Whether the token's holder may send recordings with these labels. Returns 0, or with a message in e -EKEYREJECTED, -E2BIG if there are
 * too many labels or one is too long, or the code of a limit for labels (access/quotas.h). No file system returns these codes, so a disk
 * that refuses to be written is not taken for a token that may not write. */
int arrival_allow(struct server *s, const struct token *by, const struct labels *labels, struct error *e);
/* Stores a recording that was written, if the token's holder may send it. Every protocol stores its recordings with this function. content:
 * the digest of its bytes. Waits for its turn. Returns the codes of arrival_allow, arrival_turn and store_add. The caller ends the writer
 * with envelope_abandon. */
int arrival_store(struct server *s, const struct token *by, struct envelope_writer *w, struct envelope_note *note, gnutls_hash_hd_t content,
                  struct store_added *added, struct error *e);
/* Does the same with a recording in memory. */
int arrival_store_bytes(struct server *s, const struct token *by, struct envelope_note *note, const void *bytes, size_t n,
                        struct store_added *added, struct error *e);
/* A recording that another server has received, as that server keeps it (files/envelope.h). */
struct arrival_file {
    const void *bytes;
    uint64_t size;
    const char *name; /* for messages */
    bool forwarded;   /* the other server sends it to all servers itself; otherwise this one sends it on */
};
/* Stores it with what the other server noted: its labels, and when it came. Returns 0 or a code of arrival_store, -EINVAL if the bytes are
 * not such a file. */
int arrival_store_file(struct server *s, const struct token *by, const struct arrival_file *file, struct store_added *added,
                       struct error *e);
/* Begins the file of a recording that arrives. */
int arrival_begin(struct server *s, struct envelope_writer *w, struct error *e);

/* Whether a recording with these labels may have one more, with a name and a value of these lengths. */
bool arrival_has_room(const struct server *s, const struct labels *labels, size_t name_len, size_t value_len);

/* Sets the limits that Pyroscope has for a pushed profile. */
void arrival_limit_profile(const struct server *s, struct envelope_note *note);

/* Returns how to count a recording that failed with this code. */
enum refusal arrival_refusal(int rc);
/* Whether the same recording may succeed later. */
bool arrival_may_retry(int rc);

#endif
