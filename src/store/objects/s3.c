#include "store/objects/s3.h"

#include "base/time_units.h"
#include "http/address.h"
#include "http/pool.h"
#include "http/signed.h"
#include "store/objects/credentials.h"
#include "base/text/hex.h"

#include <ctype.h>
#include <errno.h>
#include <gnutls/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STALL_S = 60, BRIEF_S = 3, TEXT_MAX = 1024, ERROR_BYTES = 1 << 14, LIST_BYTES = 8 << 20, LIST_TRIES = 4 };
enum { PAUSE_MS = 500, PAUSE_STEP_MS = 50 }; /* before the second try; doubled before each further one */

#define SCHEME "s3://"

struct s3 {
    char url[TEXT_MAX];      /* as it was given */
    char base[2 * TEXT_MAX]; /* ENDPOINT/BUCKET */
    char prefix[TEXT_MAX];   /* "" or "PREFIX/" */
    char scope[TEXT_MAX], ca_file[TEXT_MAX];
    char credentials[TEXT_MAX]; /* a file; "" = the environment */
    const atomic_bool *cancel;
    struct pool connections;
};

/* ---- options ---- */

bool s3_is_url(const char *text)
{
    return !strncmp(text, SCHEME, strlen(SCHEME));
}

const char *s3_url(const struct s3 *s)
{
    return s->url;
}

static bool is_name(const char *text)
{
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && !strchr("-_./", *text))
            return false;
    return true;
}

/* Splits "s3://BUCKET/PREFIX". */
static int read_url(struct s3 *s, const char *url, const char *endpoint, struct error *e)
{
    const char *bucket = s3_is_url(url) ? url + strlen(SCHEME) : "", *slash = strchr(bucket, '/');
    size_t n = strlen(url), bucket_len = slash ? (size_t)(slash - bucket) : strlen(bucket);
    while (n && url[n - 1] == '/')
        n--;
    if (!bucket_len || n >= sizeof s->url || !is_name(bucket) || strstr(bucket, "//") || strstr(bucket, ".."))
        return error_set(e, -EINVAL, "'%.200s' is not like s3://BUCKET/PREFIX, with letters, digits and - _ . /", url);
    snprintf(s->url, sizeof s->url, "%.*s", (int)n, url);
    snprintf(s->base, sizeof s->base, "%s/%.*s", endpoint, (int)bucket_len, bucket);
    const char *prefix = slash ? s->url + (slash + 1 - url) : "";
    bool has_prefix = slash && slash + 1 - url < (ptrdiff_t)n;
    snprintf(s->prefix, sizeof s->prefix, "%s%s", has_prefix ? prefix : "", has_prefix ? "/" : "");
    return 0;
}

/* Returns the first of these that is set. */
static const char *first_of(const char *given, const char *variable, const char *other_variable, const char *otherwise)
{
    const char *found = given ? given : getenv(variable);
    found = found && *found ? found : getenv(other_variable);
    return found && *found ? found : otherwise;
}

static int read_options(struct s3 *s, const char *url, const struct s3_options *o, struct error *e)
{
    char amazon[TEXT_MAX / 2], endpoint[TEXT_MAX / 2];
    const char *region = first_of(o->region, "AWS_REGION", "AWS_DEFAULT_REGION", "us-east-1");
    snprintf(amazon, sizeof amazon, "https://s3.%.100s.amazonaws.com", region);
    int rc = address_read(first_of(o->endpoint, "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", amazon), endpoint, sizeof endpoint, e);
    rc = rc ? rc : read_url(s, url, endpoint, e);
    if (!rc && (!is_name(region) || strlen(region) > 100))
        rc = error_set(e, -EINVAL, "'%.100s' is not a region of S3", region);
    snprintf(s->scope, sizeof s->scope, "aws:amz:%.100s:s3", region);
    const char *ca = o->ca_file ? o->ca_file : "", *file = o->credentials ? o->credentials : "";
    if (!rc && (snprintf(s->ca_file, sizeof s->ca_file, "%s", ca) >= (int)sizeof s->ca_file ||
                snprintf(s->credentials, sizeof s->credentials, "%s", file) >= (int)sizeof s->credentials))
        rc = error_set(e, -ENAMETOOLONG, "the path of a file for S3 is too long");
    return rc;
}

int s3_open(struct s3 **out, const char *url, const struct s3_options *o, const atomic_bool *cancel, struct error *e)
{
    struct s3 *s = *out = calloc(1, sizeof *s);
    struct credentials c;
    if (!s)
        return error_set(e, -ENOMEM, "out of memory");
    s->cancel = cancel;
    pool_init(&s->connections, s->ca_file, cancel);
    int rc = read_options(s, url, o, e);
    rc = rc ? rc : credentials_read(&c, o->credentials, e);
    explicit_bzero(&c, sizeof c);
    if (rc) {
        s3_close(s);
        *out = NULL;
    }
    return rc;
}

void s3_close(struct s3 *s)
{
    if (s)
        pool_deinit(&s->connections);
    free(s);
}

/* ---- one request ---- */

void s3_digest(const void *bytes, size_t n, char hex[2 * S3_DIGEST + 1])
{
    uint8_t digest[S3_DIGEST];
    if (gnutls_hash_fast(GNUTLS_DIG_SHA256, n ? bytes : "", n, digest)) /* it cannot fail for a digest that every build has */
        abort();
    hex_put(hex, digest, S3_DIGEST);
}

struct request {
    const char *method;
    const char *name;  /* of the object; "" = the bucket */
    const char *query; /* sorted by name; "" = none */
    const void *bytes; /* NULL = no body */
    size_t size;
    unsigned tries;
    const char *condition; /* a header; NULL = none */
    const char *source;    /* the same, of a copy */
    char *tag;             /* gets the version; NULL = not wanted */
};

/* Copies the text of an element of XML, "" if there is none. Only texts without entities are copied as they are. */
static void element(const struct buffer *xml, const char *open, char *out, size_t size)
{
    const char *at = xml->len ? memmem(xml->data, xml->len, open, strlen(open)) : NULL;
    *out = 0;
    if (!at)
        return;
    at += strlen(open);
    size_t left = (size_t)((const char *)xml->data + xml->len - at);
    const char *end = memchr(at, '<', left);
    if (end)
        snprintf(out, size, "%.*s", (int)(end - at), at);
}

/* Says what a refusal means. Only an object that is not there is -ENOENT: a bucket that is not there may be a mistake in an option. */
static int refused(const struct s3 *s, const struct request *r, long status, const struct buffer *answer, struct error *e)
{
    char code[128], message[256];
    element(answer, "<Code>", code, sizeof code);
    element(answer, "<Message>", message, sizeof message);
    if (status == 404 && !strcmp(code, "NoSuchKey"))
        return error_set(e, -ENOENT, "%s/%s: there is no such object", s->url, r->name);
    if (r->condition && status == 304)
        return error_set(e, -EALREADY, "%s/%s: it is the same", s->url, r->name);
    if (r->condition && (status == 412 || (status == 409 && !strcmp(code, "ConditionalRequestConflict"))))
        return error_set(e, -EEXIST, "%s/%s: somebody else has written it", s->url, r->name);
    return error_set(e, -EHOSTUNREACH, "%s/%s: S3 refuses it: %s %s (status %ld)", s->url, r->name, *code ? code : "no reason", message,
                     status);
}

static bool may_pass(int rc, long status)
{
    return rc == -EIO || rc == -ECONNREFUSED || (!rc && (status >= 500 || status == 429 || status == 408));
}

/* Waits before the next try, for a shorter time once the end has come. */
static void pause_before(const struct s3 *s, unsigned next)
{
    const struct timespec step = {.tv_nsec = PAUSE_STEP_MS * NS_PER_MS};
    unsigned steps = ((unsigned)PAUSE_MS << (next - 1)) / PAUSE_STEP_MS;
    for (unsigned i = 0; i < steps && !(s->cancel && atomic_load(s->cancel)); i++)
        nanosleep(&step, NULL);
}

/* Sends it once. Returns 0 if there is an answer, whatever its status. */
static int send_once(struct s3 *s, const struct signed_letter *letter, struct buffer *answer, long *status, struct error *e)
{
    struct transport *t = pool_take(&s->connections, e);
    if (!t)
        return -EHOSTUNREACH;
    int rc = signed_send(t, letter, answer, status, e);
    if (rc)
        transport_free(t);
    else
        pool_give(&s->connections, t);
    return rc;
}

static int send_often(struct s3 *s, const struct request *r, struct signed_letter *letter, struct buffer *answer, struct error *e)
{
    struct credentials c;
    struct error why;
    long status = 0;
    size_t before = answer->len;
    int rc = 0;
    for (unsigned i = 0; i < r->tries; i++) {
        if (i)
            pause_before(s, i);
        rc = credentials_read(&c, *s->credentials ? s->credentials : NULL, &why);
        letter->key = c.key;
        letter->token = c.token;
        answer->len = before;
        rc = rc ? rc : send_once(s, letter, answer, &status, &why);
        if (!may_pass(rc, status))
            break;
    }
    explicit_bzero(&c, sizeof c);
    if (rc == -ECANCELED || rc == -ENOMEM || rc == -EFBIG)
        return error_set(e, rc, "%s/%s: %s", s->url, r->name, why.text);
    if (rc)
        return error_set(e, -EHOSTUNREACH, "%s/%s: %s", s->url, r->name, why.text);
    if (status >= 200 && status < 300)
        return 0;
    rc = refused(s, r, status, answer, e);
    answer->len = before;
    return rc;
}

static int ask(struct s3 *s, const struct request *r, struct buffer *answer, struct error *e)
{
    char url[4 * TEXT_MAX], digest[2 * S3_DIGEST + 1];
    bool object = *r->name;
    int n = snprintf(url, sizeof url, "%s%s%s%s%s%s", s->base, object ? "/" : "", object ? s->prefix : "", r->name, *r->query ? "?" : "",
                     r->query);
    if (n >= (int)sizeof url || strlen(r->name) > S3_NAME_MAX || !is_name(r->name))
        return error_set(e, -EINVAL, "'%.200s' cannot be the name of an object", r->name);
    s3_digest(r->bytes, r->size, digest);
    struct signed_letter letter = {.method = r->method,
                                   .url = url,
                                   .scope = s->scope,
                                   .digest = digest,
                                   .bytes = r->bytes,
                                   .size = r->size,
                                   .stall_s = r->tag ? BRIEF_S : STALL_S,
                                   .header = r->condition ? r->condition : r->source,
                                   .tag = r->tag};
    return send_often(s, r, &letter, answer, e);
}

/* ---- objects ---- */

/* Asks for an answer that has no content. */
static int ask_briefly(struct s3 *s, const struct request *r, struct error *e)
{
    struct buffer answer;
    buffer_init(&answer, ERROR_BYTES);
    int rc = ask(s, r, &answer, e);
    buffer_deinit(&answer);
    return rc;
}

int s3_put(struct s3 *s, const char *name, const void *bytes, size_t n, unsigned tries, struct error *e)
{
    const struct request r = {.method = "PUT", .name = name, .query = "", .bytes = n ? bytes : "", .size = n, .tries = tries};
    return ask_briefly(s, &r, e);
}

int s3_get(struct s3 *s, const char *name, struct buffer *out, unsigned tries, struct error *e)
{
    const struct request r = {.method = "GET", .name = name, .query = "", .tries = tries};
    return ask(s, &r, out, e);
}

int s3_copy(struct s3 *s, const char *from, const char *to, unsigned tries, struct error *e)
{
    char source[2 * TEXT_MAX + S3_NAME_MAX];
    struct buffer answer;
    buffer_init(&answer, ERROR_BYTES);
    snprintf(source, sizeof source, "x-amz-copy-source: /%s/%s", s->url + strlen(SCHEME), from);
    const struct request r = {.method = "PUT", .name = to, .query = "", .bytes = "", .tries = tries, .source = source};
    int rc = ask(s, &r, &answer, e);
    if (!rc && (!answer.len || !memmem(answer.data, answer.len, "ETag", 4))) /* a copy may fail after its status was sent */
        rc = error_set(e, -EHOSTUNREACH, "%s/%s: S3 has not copied it", s->url, from);
    buffer_deinit(&answer);
    return rc;
}

int s3_remove(struct s3 *s, const char *name, unsigned tries, struct error *e)
{
    const struct request r = {.method = "DELETE", .name = name, .query = "", .tries = tries};
    int rc = ask_briefly(s, &r, e);
    return rc == -ENOENT ? 0 : rc;
}

/* ---- versions ---- */

int s3_read_version(struct s3 *s, const char *name, struct buffer *out, char tag[S3_TAG_MAX], struct error *e)
{
    char condition[S3_TAG_MAX + 32], found[S3_TAG_MAX];
    struct request r = {.method = "GET", .name = name, .query = "", .tries = 1, .tag = found};
    snprintf(condition, sizeof condition, "If-None-Match: %s", tag);
    if (*tag)
        r.condition = condition;
    int rc = ask(s, &r, out, e);
    if (!rc && !*found)
        rc = error_set(e, -EHOSTUNREACH, "%s/%s: S3 does not say which version it is (no ETag)", s->url, name);
    if (!rc)
        memcpy(tag, found, S3_TAG_MAX);
    return rc;
}

int s3_replace(struct s3 *s, const char *name, const void *bytes, size_t n, char tag[S3_TAG_MAX], struct error *e)
{
    char condition[S3_TAG_MAX + 32], made[S3_TAG_MAX];
    const struct request r = {
        .method = "PUT", .name = name, .query = "", .bytes = n ? bytes : "", .size = n, .tries = 1, .condition = condition, .tag = made};
    snprintf(condition, sizeof condition, "%s%s", *tag ? "If-Match: " : "If-None-Match: *", tag);
    int rc = ask_briefly(s, &r, e);
    if (rc == -ENOENT) /* somebody has removed the version */
        rc = error_set(e, -EEXIST, "%s/%s: somebody has removed it", s->url, name);
    if (!rc && !*made)
        rc = error_set(e, -EHOSTUNREACH, "%s/%s: S3 does not say which version it is (no ETag)", s->url, name);
    if (!rc)
        memcpy(tag, made, S3_TAG_MAX);
    return rc;
}

/* ---- lists ---- */

/* Visits the names of one answer. */
static int visit_names(const struct s3 *s, struct buffer *xml, s3_visit *visit, void *context, struct error *e)
{
    struct buffer rest = *xml; /* it borrows the bytes */
    char name[S3_NAME_MAX + TEXT_MAX];
    size_t prefix = strlen(s->prefix);
    const uint8_t *at;
    int rc = 0;
    while (!rc && rest.len && (at = memmem(rest.data, rest.len, "<Key>", 5))) {
        rest.len -= (size_t)(at - rest.data);
        rest.data = (uint8_t *)(uintptr_t)at;
        element(&rest, "<Key>", name, sizeof name);
        rest.data += 5;
        rest.len -= 5;
        if (!strncmp(name, s->prefix, prefix) && is_name(name))
            rc = visit(context, name + prefix, e);
    }
    return rc;
}

/* Makes the query for a page of the list. token: of the page before; "" = the first page, of what comes after the name `after`. */
static void put_query(struct buffer *query, const struct s3 *s, const char *begin, const char *after, const char *token)
{
    buffer_reset(query);
    if (*token) {
        buffer_text(query, "continuation-token=");
        address_escape(query, token);
        buffer_text(query, "&");
    }
    buffer_text(query, "list-type=2&prefix=");
    address_escape(query, s->prefix);
    address_escape(query, begin);
    if (!*token && *after) {
        buffer_text(query, "&start-after=");
        address_escape(query, s->prefix);
        address_escape(query, after);
    }
    buffer_u8(query, 0);
}

int s3_list(struct s3 *s, const char *begin, const char *after, s3_visit *visit, void *context, struct error *e)
{
    struct buffer answer, query;
    char token[TEXT_MAX] = "", before[TEXT_MAX];
    int rc;
    buffer_init(&answer, LIST_BYTES);
    buffer_init(&query, 3 * 5 * TEXT_MAX);
    do {
        put_query(&query, s, begin, after, token);
        buffer_reset(&answer);
        const struct request r = {.method = "GET", .name = "", .query = (const char *)query.data, .tries = LIST_TRIES};
        rc = query.failed ? error_set(e, -ENOMEM, "out of memory") : ask(s, &r, &answer, e);
        rc = rc ? rc : visit_names(s, &answer, visit, context, e);
        snprintf(before, sizeof before, "%s", token);
        element(&answer, "<NextContinuationToken>", token, sizeof token);
        if (!rc && *token && !strcmp(token, before))
            rc = error_set(e, -EHOSTUNREACH, "%s: S3 lists the same page again and again", s->url);
    } while (!rc && *token);
    buffer_deinit(&answer);
    buffer_deinit(&query);
    return rc;
}
