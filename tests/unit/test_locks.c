/* Locks and their holders, and cycles of threads that wait for each other, from the samples of a profile.
 * tier: quick
 * timeout: 30 */
#include "../tap.h"

#include "halts_craft.h"
#include "profile/load/load_jfr.h"
#include "profile/locks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct profile p;

static uint32_t string(const char *text)
{
    uint32_t id = 0;
    profile_string(&p, text, strlen(text), &id);
    return id;
}

struct wait {
    const char *thread;
    uint64_t id;
    const char *class_name, *address, *owner, *owner_id;
    uint64_t weight;
    bool open;
};

static void add(const struct wait *w)
{
    struct profile_sample s = {.weight = w->weight, .state = w->address ? JFR_STATE_MONITOR : JFR_STATE_PARKED};
    profile_thread(&p, string(w->thread), w->id, w->id, &s.thread);
    locks_add_label(&p, "class", string(w->class_name), false, &s.labels);
    if (w->address)
        locks_add_label(&p, "address", string(w->address), false, &s.labels);
    if (w->owner)
        locks_add_label(&p, "owner", string(w->owner), false, &s.labels);
    if (w->owner_id)
        locks_add_label(&p, "owner_id", string(w->owner_id), true, &s.labels);
    if (w->open)
        locks_add_label(&p, "open", string("yes"), false, &s.labels);
    profile_add_sample(&p, &s);
}

static const char *text(uint32_t id)
{
    return profile_text(&p, id);
}

static bool is_holder(const struct locks *l, const struct locks_row *r, uint32_t i, const char *name, uint64_t weight)
{
    const struct locks_holder *h = &l->holders[r->first + i];
    return i < r->holders && !strcmp(text(h->owner), name) && h->weight == weight;
}

static void test_table(void)
{
    static const struct wait waits[] = {
        {"a", 1, "Pool", "0x1", "b", NULL, 30, false}, {"a", 1, "Pool", "0x1", "c", NULL, 50, false},
        {"b", 2, "Pool", "0x1", "c", NULL, 20, false}, {"b", 2, "Pool", "0x2", NULL, NULL, 15, false},
        {"b", 2, "Pool", NULL, "a", NULL, 200, false},
    };
    struct locks l;
    profile_init(&p);
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
        add(&waits[i]);
    tap_ok(!locks_compute(&l, &p) && l.row_count == 3 && !l.link_count, "three locks, and no circle");
    tap_ok(l.row_count == 3 && l.rows[0].weight == 200 && l.rows[0].state == JFR_STATE_PARKED && l.rows[1].weight == 100 &&
               l.rows[1].samples == 3 && !strcmp(text(l.rows[1].address), "0x1") && l.rows[2].weight == 15,
           "by weight; a class's parks are one, its monitors are not");
    tap_ok(is_holder(&l, &l.rows[1], 0, "c", 70) && is_holder(&l, &l.rows[1], 1, "b", 30) && l.rows[1].holders == 2,
           "the holders of one, those of most weight first");
    tap_ok(is_holder(&l, &l.rows[0], 0, "a", 200) && is_holder(&l, &l.rows[2], 0, "", 15), "and of the others, known or not");
    locks_deinit(&l);
    profile_deinit(&p);
}

/* The samples of the cycle that begins with this link, by the names of their threads. */
static const char *names_of(const struct locks *l, uint32_t first)
{
    static char names[64];
    names[0] = 0;
    for (uint32_t i = first; i < l->link_count; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s", text(p.threads[p.samples[l->links[i].sample].thread].name));
        if (l->links[i].ends)
            break;
    }
    return names;
}

static void test_circles(void)
{
    static const struct wait waits[] = {
        {"a", 1, "L", "0x1", "b", "2", 1, true},  {"b", 2, "L", "0x2", "c", "3", 1, true},  {"c", 3, "L", "0x3", "a", "1", 0, true},
        {"d", 4, "L", "0x1", "b", "2", 1, true}, /* waits for one of them */
        {"e", 5, "L", NULL, "f", "6", 1, true},   {"f", 6, "L", NULL, "e", "5", 1, true},   {"g", 7, "L", "0x7", "h", "8", 1, true},
        {"x", 8, "L", "0x8", "y", "9", 1, false}, {"y", 9, "L", "0x9", "x", "8", 1, false}, /* are over */
    };
    struct locks l;
    profile_init(&p);
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
        add(&waits[i]);
    tap_ok(!locks_compute(&l, &p) && l.link_count == 5, "two circles of five threads: %" PRIu32, l.link_count);
    tap_ok(!strcmp(names_of(&l, 0), "abc") && l.links[2].ends, "three of them: %s", names_of(&l, 0));
    tap_ok(!strcmp(names_of(&l, 3), "ef") && l.links[4].ends, "and two: %s", names_of(&l, 3));
    locks_deinit(&l);
    p.merged = 2;
    tap_ok(!locks_compute(&l, &p) && l.row_count && !l.link_count, "of several recordings together none");
    locks_deinit(&l);
    profile_deinit(&p);
}

static void test_nothing(void)
{
    struct locks l;
    profile_init(&p);
    tap_ok(!locks_compute(&l, &p) && !l.row_count && !l.link_count, "of nothing, nothing");
    locks_deinit(&l);
    profile_deinit(&p);
}

static void read_waits(const struct buffer *b, uint32_t samples, uint64_t weight, const char *what)
{
    char path[] = "/tmp/candor-locks-XXXXXX";
    struct error e = {""};
    int fd = mkstemp(path);
    profile_init(&p);
    p.kind = PROFILE_LOCK;
    bool good = fd >= 0 && write(fd, b->data, b->len) == (ssize_t)b->len && !profile_load_jfr(&p, path, &e);
    if (!tap_ok(good && p.sample_count == samples && p.weight == weight, "%s", what))
        tap_note("%s: %" PRIu32 " samples, %" PRIu64, e.text, p.sample_count, p.weight);
    profile_deinit(&p);
    close(fd);
    unlink(path);
}

/* Both recorders report the same waits. */
static void test_two_recorders(void)
{
    struct buffer b;
    buffer_init(&b, 1 << 20);
    craft_halts_jdk(&b);
    read_waits(&b, 3, 40000 + 10000 + 30000, "the JDK's waits weigh what they took");
    craft_halts_waits(&b);
    read_waits(&b, 4, 56000000, "where there are ours, these alone count");
    buffer_deinit(&b);
}

int main(void)
{
    test_two_recorders();
    test_table();
    test_circles();
    test_nothing();
    return tap_done();
}
