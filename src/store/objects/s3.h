/* Keeps objects in a service that speaks S3: puts, gets, removes and lists them. A request that fails for a reason that may pass is
 * repeated a few times.
 *
 *   s3_open -> s3_put, s3_get, s3_copy, s3_remove, s3_list ... -> s3_close
 *
 * Any thread may call these functions, unless noted otherwise. Names of objects are relative to the prefix; they consist of letters,
 * digits, and the characters - _ . and / */
#ifndef CANDOR_STORE_OBJECTS_S3_H
#define CANDOR_STORE_OBJECTS_S3_H

#include "base/buffer.h"
#include "base/error.h"

#include <stdatomic.h>
#include <stdbool.h>

struct s3;

enum { S3_NAME_MAX = 1024, S3_DIGEST = 32, S3_TAG_MAX = 128 };

struct s3_options {
    const char *endpoint;    /* NULL = AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL of the environment, otherwise Amazon's */
    const char *region;      /* NULL = AWS_REGION or AWS_DEFAULT_REGION of the environment, otherwise us-east-1 */
    const char *credentials; /* a file (credentials.h); NULL = the environment */
    const char *ca_file;     /* NULL = the system's */
};

/* url: "s3://BUCKET/PREFIX". cancel: NULL, or a flag that ends running requests, as in transport_new. Returns 0, or a code with a message
 * in e. Nothing is sent yet. */
int s3_open(struct s3 **out, const char *url, const struct s3_options *o, const atomic_bool *cancel, struct error *e);
void s3_close(struct s3 *s);
/* The URL of the objects, as it was given, without slashes at its end. */
const char *s3_url(const struct s3 *s);

/* All four return 0, or a code with a message in e: -ENOENT if there is no such object; -EHOSTUNREACH if the service cannot be asked now,
 * or refuses the request; -ECANCELED, -ENOMEM, or -EFBIG. tries: how often a request is sent at most. */
int s3_put(struct s3 *s, const char *name, const void *bytes, size_t n, unsigned tries, struct error *e);
/* Appends the object to `out`, which is limited. */
int s3_get(struct s3 *s, const char *name, struct buffer *out, unsigned tries, struct error *e);
/* Makes another object of the same bytes, in the service: they are not sent. */
int s3_copy(struct s3 *s, const char *from, const char *to, unsigned tries, struct error *e);
/* An object that does not exist counts as removed. */
int s3_remove(struct s3 *s, const char *name, unsigned tries, struct error *e);

/* The two below are for an object that several programs write: each replaces only the version that it knows, by its tag. They send a
 * request once, and wait for a few seconds only.
 *
 * Appends the object to `out` if its version is not that of `tag` ("" = none is known), which
 * becomes that of the object. Returns as s3_get does, and -EALREADY if the version is that of `tag`. */
int s3_read_version(struct s3 *s, const char *name, struct buffer *out, char tag[S3_TAG_MAX], struct error *e);
/* Writes the object if its version is that of `tag`, or, if that is "", if there is no such object. `tag` becomes the new version's.
 * Returns as s3_put does, and -EEXIST if there is another version. After any other failure it may be written, or be written later. */
int s3_replace(struct s3 *s, const char *name, const void *bytes, size_t n, char tag[S3_TAG_MAX], struct error *e);

/* Visits all objects whose names begin with `begin` and come after the name `after` ("" = all), in order. A visit returns 0, or a code that
 * ends the list. */
typedef int s3_visit(void *context, const char *name, struct error *e);
int s3_list(struct s3 *s, const char *begin, const char *after, s3_visit *visit, void *context, struct error *e);

/* Whether the text begins with s3:// */
bool s3_is_url(const char *text);
/* Computes the SHA-256 of the bytes, in hex. */
void s3_digest(const void *bytes, size_t n, char hex[2 * S3_DIGEST + 1]);

#endif
