#include "server/access/quotas.h"

#include "base/array.h"
#include "base/map.h"
#include "base/text/number.h"
#include "base/text/units.h"
#include "base/time_units.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <inttypes.h>
#include <pthread.h>
#include <string.h>

enum { CODES = -10000, RETRY_MOST_S = 3600, NAME_BYTES = 64 };

static const struct {
    const char *option;
    uint64_t seconds;
    const char *words;
} about[QUOTAS] = {
#define QUOTAS_ABOUT(name, option, seconds, words) [QUOTA_##name] = {option, seconds, words},
    QUOTAS_LIMITS(QUOTAS_ABOUT)
#undef QUOTAS_ABOUT
};

struct window {
    uint64_t number; /* the time divided by the length of a window */
    uint64_t used;
};

/* What was counted for the tokens of a name. */
struct account {
    char name[NAME_BYTES];
    struct window windows[QUOTAS];
    struct map series, values; /* hashes of those seen in the window */
    struct quota_limits limits;
    uint64_t requests, bytes, refused[QUOTAS];
    uint64_t last_s; /* the last request, in seconds since the epoch */
};

struct quotas {
    pthread_mutex_t lock; /* protects the other members */
    struct account **accounts;
    uint32_t count, cap;
    struct map places; /* hash of the name -> place in accounts */
};

/* ---- limits ---- */

enum quota quotas_named(const char *option, size_t n)
{
    int limit = 0;
    while (limit < QUOTAS && (strlen(about[limit].option) != n || memcmp(about[limit].option, option, n) != 0))
        limit++;
    return (enum quota)limit;
}

const char *quotas_option(enum quota limit)
{
    return about[limit].option;
}

static bool is_bytes(enum quota limit)
{
    return limit >= QUOTA_SECOND_BYTES && limit <= QUOTA_HOUR_BYTES;
}

int quotas_parse(enum quota limit, const char *text, uint64_t *most)
{
    uint64_t highest = limit == QUOTA_DAY_SERIES || limit == QUOTA_DAY_VALUES ? QUOTAS_LABELS_MAX : INT32_MAX;
    if (!strcmp(text, "none")) {
        *most = QUOTA_NONE;
        return 0;
    }
    if (is_bytes(limit))
        return units_parse_size(text, most) || !*most ? -EINVAL : 0;
    return number_parse(text, 1, highest, most) ? -EINVAL : 0;
}

void quotas_fill(struct quota_limits *limits, const uint64_t defaults[QUOTAS])
{
    for (int i = 0; i < QUOTAS; i++)
        if (!limits->most[i])
            limits->most[i] = defaults[i];
}

static uint64_t most_of(const struct quota_limits *limits, enum quota limit)
{
    return limits->most[limit] ? limits->most[limit] : QUOTA_NONE;
}

static uint64_t now_s(void)
{
    return clock_realtime_ns() / NS_PER_S;
}

/* ---- refusals ---- */

/* A refusal's code is CODES - (limit + QUOTAS * seconds). seconds: how long to wait; 0 = until the limit's window is over. */
static int code_of(enum quota limit, uint64_t seconds)
{
    return CODES - (int)limit - QUOTAS * (int)(seconds < RETRY_MOST_S ? seconds : RETRY_MOST_S);
}

bool quotas_refused(int code)
{
    return code <= CODES && code > CODES - QUOTAS * (RETRY_MOST_S + 1);
}

/* Returns the seconds until the limit's window is over. */
static uint64_t left_s(enum quota limit)
{
    return about[limit].seconds - now_s() % about[limit].seconds;
}

uint32_t quotas_retry_s(int code)
{
    unsigned of = (unsigned)(CODES - code);
    uint64_t left = of / QUOTAS ? of / QUOTAS : left_s((enum quota)(of % QUOTAS));
    return (uint32_t)(left < RETRY_MOST_S ? left : RETRY_MOST_S);
}

/* seconds: as in code_of. */
static int refuse_for(struct account *a, enum quota limit, uint64_t most, uint64_t seconds, struct error *e)
{
    a->refused[limit]++;
    return error_set(e, code_of(limit, seconds), "%s: this token is limited to %" PRIu64 " %s; try again in %" PRIu64 " s",
                     about[limit].option, most, about[limit].words, seconds ? seconds : left_s(limit));
}

static int refuse(struct account *a, enum quota limit, uint64_t most, struct error *e)
{
    return refuse_for(a, limit, most, 0, e);
}

/* ---- accounts ---- */

struct quotas *quotas_new(void)
{
    struct quotas *q = calloc(1, sizeof *q);
    if (q)
        pthread_mutex_init(&q->lock, NULL);
    return q;
}

static void free_account(struct account *a)
{
    map_deinit(&a->series);
    map_deinit(&a->values);
    free(a);
}

void quotas_free(struct quotas *q)
{
    if (!q)
        return;
    for (uint32_t i = 0; i < q->count; i++)
        free_account(q->accounts[i]);
    free(q->accounts);
    map_deinit(&q->places);
    pthread_mutex_destroy(&q->lock);
    free(q);
}

static struct account *add_account(struct quotas *q, uint64_t key, const char *name)
{
    bool added;
    struct account *a = ARRAY_GROW(q->accounts, q->cap, q->count) ? NULL : calloc(1, sizeof *a);
    uint32_t *place = a ? map_add(&q->places, key, &added) : NULL;
    if (!place) {
        free(a);
        return NULL;
    }
    snprintf(a->name, sizeof a->name, "%s", name);
    *place = q->count;
    return q->accounts[q->count++] = a;
}

/* Finds the account of a name, or makes one. Call it with the lock. Returns NULL if there is no memory. */
static struct account *account_of(struct quotas *q, const char *name)
{
    for (uint64_t key = hash_bytes(name, strlen(name));; key++) { /* the next key, if two names have the same hash */
        const uint32_t *place = map_find(&q->places, key);
        if (!place)
            return add_account(q, key, name);
        if (!strcmp(q->accounts[*place]->name, name))
            return q->accounts[*place];
    }
}

/* Returns the bytes that the seconds since then have not worked off. */
static uint64_t left_over(const struct account *a, uint64_t at_s)
{
    const struct window *w = &a->windows[QUOTA_SECOND_BYTES];
    uint64_t most = most_of(&a->limits, QUOTA_SECOND_BYTES), done;
    if (at_s < w->number || __builtin_mul_overflow(most, at_s - w->number, &done) || done > w->used)
        return 0;
    return w->used - done;
}

/* Begins the windows of this time. */
static void roll(struct account *a, uint64_t at_s)
{
    for (int i = 0; i < QUOTAS; i++) {
        struct window *w = &a->windows[i];
        if (w->number == at_s / about[i].seconds)
            continue;
        *w = (struct window){.number = at_s / about[i].seconds, .used = i == QUOTA_SECOND_BYTES ? left_over(a, at_s) : 0};
        if (i == QUOTA_DAY_SERIES)
            map_deinit(&a->series);
        if (i == QUOTA_DAY_VALUES)
            map_deinit(&a->values);
    }
}

/* Locks, and returns the account with the windows of now, or NULL with a message in e. Call pthread_mutex_unlock in both cases. */
static struct account *enter(struct quotas *q, const char *name, const struct quota_limits *limits, uint64_t at_s, struct error *e)
{
    pthread_mutex_lock(&q->lock);
    struct account *a = account_of(q, name);
    if (!a) {
        error_set(e, -ENOMEM, "out of memory");
        return NULL;
    }
    a->limits = *limits;
    roll(a, at_s);
    return a;
}

/* ---- counting ---- */

int quotas_take_request(struct quotas *q, const char *name, const struct quota_limits *limits, struct error *e)
{
    struct account *a = enter(q, name, limits, now_s(), e);
    int rc = a ? 0 : -ENOMEM;
    if (a && a->windows[QUOTA_REQUESTS].used >= most_of(limits, QUOTA_REQUESTS))
        rc = refuse(a, QUOTA_REQUESTS, most_of(limits, QUOTA_REQUESTS), e);
    if (!rc) {
        a->windows[QUOTA_REQUESTS].used++;
        a->requests++;
        a->last_s = now_s();
    }
    pthread_mutex_unlock(&q->lock);
    return rc;
}

static int refuse_alone(struct account *a, enum quota limit, uint64_t most, struct error *e)
{
    a->refused[limit]++;
    return error_set(e, -EFBIG, "%s: this token is limited to %" PRIu64 " %s, and this request alone has more", about[limit].option, most,
                     about[limit].words);
}

/* Checks a body of which `had` bytes were taken already. */
static int check_bytes(struct account *a, enum quota limit, uint64_t had, uint64_t bytes, struct error *e)
{
    uint64_t most = most_of(&a->limits, limit), used = a->windows[limit].used;
    if (bytes > most || had > most - bytes)
        return refuse_alone(a, limit, most, e);
    return used > most || bytes > most - used ? refuse(a, limit, most, e) : 0;
}

/* Does the same for the rate. */
static int check_rate(struct account *a, uint64_t had, uint64_t bytes, struct error *e)
{
    uint64_t rate = most_of(&a->limits, QUOTA_SECOND_BYTES), burst = most_of(&a->limits, QUOTA_BURST);
    uint64_t most = burst != QUOTA_NONE ? burst : rate, used = a->windows[QUOTA_SECOND_BYTES].used;
    if (rate == QUOTA_NONE)
        return 0;
    if (bytes > most || had > most - bytes)
        return refuse_alone(a, burst != QUOTA_NONE ? QUOTA_BURST : QUOTA_SECOND_BYTES, most, e);
    if (used <= most && bytes <= most - used)
        return 0;
    uint64_t excess = used - (most - bytes); /* is worked off at the rate */
    return refuse_for(a, QUOTA_SECOND_BYTES, rate, excess / rate + (excess % rate != 0), e);
}

int quotas_take_bytes(struct quotas *q, const char *name, const struct quota_limits *limits, uint64_t bytes, struct quota_charge *charge,
                      struct error *e)
{
    uint64_t at_s = now_s();
    struct account *a = enter(q, name, limits, at_s, e);
    int rc = a ? check_rate(a, charge->bytes, bytes, e) : -ENOMEM;
    rc = rc ? rc : check_bytes(a, QUOTA_MINUTE_BYTES, charge->bytes, bytes, e);
    rc = rc ? rc : check_bytes(a, QUOTA_HOUR_BYTES, charge->bytes, bytes, e);
    if (!rc) {
        a->windows[QUOTA_SECOND_BYTES].used += bytes;
        a->windows[QUOTA_MINUTE_BYTES].used += bytes;
        a->windows[QUOTA_HOUR_BYTES].used += bytes;
        *charge = (struct quota_charge){charge->bytes + bytes, at_s};
    }
    pthread_mutex_unlock(&q->lock);
    return rc;
}

void quotas_end_bytes(struct quotas *q, const char *name, struct quota_charge *charge, uint64_t came)
{
    uint64_t taken = charge->bytes, used = came < taken ? came : taken, rest = taken - used;
    if (!taken)
        return;
    pthread_mutex_lock(&q->lock);
    struct account *a = account_of(q, name);
    for (enum quota i = QUOTA_SECOND_BYTES; a && i <= QUOTA_HOUR_BYTES; i++) {
        struct window *w = &a->windows[i];
        if (i == QUOTA_SECOND_BYTES || w->number == charge->at_s / about[i].seconds)
            w->used -= rest < w->used ? rest : w->used;
    }
    if (a)
        a->bytes += used;
    pthread_mutex_unlock(&q->lock);
    charge->bytes = 0;
}

/* ---- labels ---- */

/* The hashes of a recording's labels: of all together, and of each. */
struct hashes {
    uint64_t series, values[LABELS_MAX];
    uint32_t count;
};

/* Hashes so that nobody can find two texts with the same hash, of which only one would count. */
static int hash_text(const struct buffer *text, uint64_t *hash)
{
    uint8_t digest[32];
    if (text->failed || gnutls_hash_fast(GNUTLS_DIG_SHA256, text->data, text->len, digest))
        return -ENOMEM;
    memcpy(hash, digest, sizeof *hash);
    return 0;
}

static int hash_labels(const struct labels *labels, struct hashes *h)
{
    struct buffer text;
    buffer_init(&text, 1 << 20);
    int rc = labels_write(labels, &text);
    rc = rc ? rc : hash_text(&text, &h->series);
    h->count = labels->count;
    for (uint32_t i = 0; !rc && i < labels->count; i++) {
        buffer_reset(&text);
        buffer_printf(&text, "%s=%s", labels->list[i].name, labels->list[i].value);
        rc = hash_text(&text, &h->values[i]);
    }
    buffer_deinit(&text);
    return rc;
}

static uint32_t count_new(const struct map *seen, const uint64_t *hashes, uint32_t n)
{
    uint32_t fresh = 0;
    for (uint32_t i = 0; i < n; i++)
        fresh += !map_find(seen, hashes[i]);
    return fresh;
}

static int add_all(struct map *seen, const uint64_t *hashes, uint32_t n)
{
    bool added;
    for (uint32_t i = 0; i < n; i++)
        if (!map_add(seen, hashes[i], &added))
            return -ENOMEM;
    return 0;
}

/* Counts the labels. A limit that is not set remembers nothing. */
static int take_labels(struct account *a, const struct hashes *h, struct error *e)
{
    uint64_t series = most_of(&a->limits, QUOTA_DAY_SERIES), values = most_of(&a->limits, QUOTA_DAY_VALUES);
    int rc = 0;
    if (series != QUOTA_NONE && a->series.count + count_new(&a->series, &h->series, 1) > series)
        return refuse(a, QUOTA_DAY_SERIES, series, e);
    if (values != QUOTA_NONE && a->values.count + count_new(&a->values, h->values, h->count) > values)
        return refuse(a, QUOTA_DAY_VALUES, values, e);
    if (series != QUOTA_NONE)
        rc = add_all(&a->series, &h->series, 1);
    if (!rc && values != QUOTA_NONE)
        rc = add_all(&a->values, h->values, h->count);
    return rc ? error_set(e, rc, "out of memory") : 0;
}

int quotas_take_labels(struct quotas *q, const char *name, const struct quota_limits *limits, const struct labels *labels, struct error *e)
{
    struct hashes h;
    if (most_of(limits, QUOTA_DAY_SERIES) == QUOTA_NONE && most_of(limits, QUOTA_DAY_VALUES) == QUOTA_NONE)
        return 0;
    if (hash_labels(labels, &h))
        return error_set(e, -ENOMEM, "out of memory");
    struct account *a = enter(q, name, limits, now_s(), e);
    int rc = a ? take_labels(a, &h, e) : -ENOMEM;
    pthread_mutex_unlock(&q->lock);
    return rc;
}

/* ---- all accounts ---- */

void quotas_forget(struct quotas *q, bool (*is_kept)(void *context, const char *name), void *context)
{
    pthread_mutex_lock(&q->lock);
    uint32_t count = q->count;
    map_clear(&q->places);
    q->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct account *a = q->accounts[i];
        bool added, kept = is_kept(context, a->name);
        uint64_t key = hash_bytes(a->name, strlen(a->name));
        while (kept && map_find(&q->places, key))
            key++;
        uint32_t *place = kept ? map_add(&q->places, key, &added) : NULL;
        if (!place) {
            free_account(a);
            continue;
        }
        *place = q->count;
        q->accounts[q->count++] = a;
    }
    pthread_mutex_unlock(&q->lock);
}

static void put_head(FILE *out, const char *name, const char *type, const char *help)
{
    fprintf(out, "# HELP candor_server_token_%s %s\n# TYPE candor_server_token_%s %s\n", name, help, name, type);
}

/* Writes the name of a token as the value of a label. */
static void put_name(FILE *out, const char *name)
{
    for (const char *c = name; *c; c++) {
        if (*c == '"' || *c == '\\')
            fputc('\\', out);
        fputc(*c, out);
    }
}

/* Writes one number of each account; member: its place in the struct. */
static void put_each(const struct quotas *q, FILE *out, const char *name, size_t member)
{
    for (uint32_t i = 0; i < q->count; i++) {
        fprintf(out, "candor_server_token_%s{token=\"", name);
        put_name(out, q->accounts[i]->name);
        fprintf(out, "\"} %" PRIu64 "\n", *(const uint64_t *)(const void *)((const char *)q->accounts[i] + member));
    }
}

static void put_refused(const struct account *a, FILE *out)
{
    for (int i = 0; i < QUOTAS; i++) {
        if (most_of(&a->limits, (enum quota)i) == QUOTA_NONE && !a->refused[i])
            continue;
        fputs("candor_server_token_refused_total{token=\"", out);
        put_name(out, a->name);
        fprintf(out, "\",limit=\"%s\"} %" PRIu64 "\n", about[i].option, a->refused[i]);
    }
}

struct quota_use quotas_use(struct quotas *q, const char *name)
{
    struct quota_use use = {0};
    pthread_mutex_lock(&q->lock);
    const struct account *a = account_of(q, name);
    if (a)
        use = (struct quota_use){.requests = a->requests, .bytes = a->bytes, .last_s = a->last_s};
    pthread_mutex_unlock(&q->lock);
    return use;
}

void quotas_put_metrics(struct quotas *q, FILE *out)
{
    pthread_mutex_lock(&q->lock);
    put_head(out, "requests_total", "counter", "Requests with a token of this name that no limit has refused.");
    put_each(q, out, "requests_total", offsetof(struct account, requests));
    put_head(out, "bytes_total", "counter", "Bytes of recordings that were sent with it.");
    put_each(q, out, "bytes_total", offsetof(struct account, bytes));
    put_head(out, "refused_total", "counter", "Requests that a limit of the token has refused, by the limit's option.");
    for (uint32_t i = 0; i < q->count; i++)
        put_refused(q->accounts[i], out);
    pthread_mutex_unlock(&q->lock);
}
