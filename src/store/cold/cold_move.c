/* The threads that make objects of recordings, and remove objects whose recordings are forgotten. Each works at its share of the
 * identities, so an object is never made and removed at the same time. */
#include "store/cold/cold.h"

#include "base/text/units.h"
#include "base/time_units.h"
#include "store/catalogue/catalogue_cold.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

enum { LIST = 64 };
/* How long to rest: a part of --cold-after, within these limits; after failures up to the last one. In nanoseconds. */
enum { REST_PART = 10 };
#define REST_LEAST_NS (100 * NS_PER_MS)
#define REST_NS       (5 * NS_PER_S)
#define REST_MOST_NS  (60 * NS_PER_S)

static bool is_mine(const struct mover *m, const uint8_t identity[ENVELOPE_IDENTITY])
{
    return identity[0] % COLD_MOVERS == m->number;
}

static bool is_ending(const struct mover *m)
{
    struct cold *c = m->store->cold;
    pthread_mutex_lock(&c->lock);
    bool ending = c->ending;
    pthread_mutex_unlock(&c->lock);
    return ending || store_is_stopping(m->store);
}

int cold_compare(struct s3 *place, const char *key, const struct envelope *v, struct error *e)
{
    struct buffer back;
    buffer_init(&back, v->map_size + 1);
    int rc = s3_get(place, key, &back, COLD_MOVE_TRIES, e);
    if (!rc && (back.len != v->map_size || memcmp(back.data, v->map, back.len)))
        rc = error_set(e, -EBADMSG, "%s/%s: is not what was sent; the recording stays on the disk", s3_url(place), key);
    buffer_deinit(&back);
    return rc;
}

int cold_make_object(struct s3 *place, const char *key, const struct envelope *v, struct error *e)
{
    int rc = s3_put(place, key, v->map, v->map_size, COLD_MOVE_TRIES, e);
    return rc ? rc : cold_compare(place, key, v, e);
}

/* A catalog that was put in the place of a younger one may not know that the file is an object already. */
static int find_object(struct store *s, const struct catalogue_warm *w, struct error *e)
{
    struct envelope v;
    int rc = cold_fetch(s, w->identity, &v, e);
    if (rc)
        return rc == -ENOENT ? 0 : rc;
    envelope_close(&v);
    return catalogue_set_cold(s->catalogue, w->recording, e);
}

static int move_one(struct store *s, const struct catalogue_warm *w, struct error *e)
{
    struct cold *c = s->cold;
    struct envelope v;
    char path[DISK_PATH_MAX], key[COLD_KEY_MAX];
    bool cold, going;
    int rc = envelope_open(&v, store_recording_path(s, path, w->identity), e);
    if (rc == -ENOENT)
        return find_object(s, w, e);
    if (rc)
        return rc == -EBADMSG ? 0 : rc; /* whoever reads it reports that it is damaged */
    cold_key(w->identity, key);
    rc = catalogue_cold_begin(s->catalogue, w->identity, e);
    rc = rc ? rc : cold_make_object(c->s3, key, &v, e);
    rc = rc ? rc : catalogue_set_cold(s->catalogue, w->recording, e);
    rc = rc ? rc : catalogue_is_cold(s->catalogue, w->identity, &cold, &going, e);
    if (!rc && cold) {
        disk_remove(path);
        c->moved++;
        c->moved_bytes += v.map_size;
    }
    envelope_close(&v);
    return rc;
}

/* Moves what is old enough. */
static int move_some(struct mover *m, struct error *e)
{
    struct store *s = m->store;
    struct catalogue_warm list[LIST];
    uint64_t after = 0;
    uint32_t n;
    int rc, bad = 0;
    do {
        int64_t before = (int64_t)clock_realtime_ns() - (int64_t)s->options.cold_after_ns;
        rc = catalogue_warm(s->catalogue, before, after, list, LIST, &n, e);
        for (uint32_t i = 0; !rc && i < n && !is_ending(m); i++) {
            after = list[i].recording;
            rc = is_mine(m, list[i].identity) ? move_one(s, &list[i], e) : 0;
            bad = rc == -EBADMSG ? rc : bad;
            rc = rc == -EBADMSG ? 0 : rc; /* the others are moved */
        }
    } while (!rc && n == LIST && !is_ending(m));
    return rc ? rc : bad;
}

static int remove_some(struct mover *m, struct error *e)
{
    struct store *s = m->store;
    uint8_t list[LIST][ENVELOPE_IDENTITY], after[ENVELOPE_IDENTITY] = {0};
    char key[COLD_KEY_MAX];
    uint32_t n;
    int rc;
    do {
        rc = catalogue_cold_going(s->catalogue, after, list, LIST, &n, e);
        for (uint32_t i = 0; !rc && i < n && !is_ending(m); i++) {
            memcpy(after, list[i], sizeof after);
            if (!is_mine(m, list[i]))
                continue;
            cold_forget(s, list[i]);
            cold_key(list[i], key);
            rc = s3_remove(s->cold->s3, key, COLD_MOVE_TRIES, e);
            rc = rc ? rc : catalogue_cold_gone(s->catalogue, list[i], e);
            s->cold->removed += !rc;
        }
    } while (!rc && n == LIST && !is_ending(m));
    return rc;
}

static uint64_t clamp(uint64_t v, uint64_t least, uint64_t most)
{
    return v < least ? least : v > most ? most : v;
}

/* Waits, longer after each failure in a row. */
static void rest(struct mover *m)
{
    struct cold *c = m->store->cold;
    uint64_t ns = clamp(m->store->options.cold_after_ns / REST_PART, REST_LEAST_NS, REST_NS);
    ns = clamp(ns << (m->failures < 10 ? m->failures : 10), ns, REST_MOST_NS) + clock_monotonic_ns();
    const struct timespec until = {(time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S)};
    pthread_mutex_lock(&c->lock);
    while (!c->ending && pthread_cond_clockwait(&c->end, &c->lock, CLOCK_MONOTONIC, &until) != ETIMEDOUT)
        ;
    pthread_mutex_unlock(&c->lock);
}

static void note(struct mover *m, int rc, const struct error *e)
{
    bool tell = rc && !m->told && !is_ending(m);
    m->told = rc != 0;
    m->failures = rc ? m->failures + 1 : 0;
    m->store->cold->failed += rc != 0;
    if (tell)
        store_tell(m->store, "%s; recordings stay on the disk meanwhile", e->text);
}

static void *move(void *mover)
{
    struct mover *m = mover;
    struct error e;
    while (!is_ending(m)) {
        int rc = cold_check_owner(m->store, &e);
        rc = rc ? rc : remove_some(m, &e); /* before moving: what was made in vain goes before it is made again */
        rc = rc ? rc : move_some(m, &e);
        note(m, rc, &e);
        rest(m);
    }
    return NULL;
}

int store_start_moving(struct store *s, struct error *e)
{
    for (unsigned i = 0; s->cold && i < COLD_MOVERS; i++) {
        struct mover *m = &s->cold->movers[i];
        m->store = s;
        m->number = i;
        int rc = pthread_create(&m->thread, NULL, move, m);
        if (rc)
            return error_set(e, -rc, "no thread can be started: %s", strerror(rc));
        m->runs = true;
    }
    return 0;
}
