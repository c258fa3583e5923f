#include "agent/trigger/hooks/parks.h"

#include "agent/hot/calls/lock.h"
#include "agent/trigger/hooks/tables.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

enum call { WAIT, TIMED_WAIT, CALLS };

enum { SLOTS_MAX = 8 };

/* A word of the table, and its former value. */
struct slot {
    _Atomic uintptr_t *at;
    enum call call;
    uintptr_t before; /* equal to our function: it was already there, and must stay */
};

static struct slot slots[SLOTS_MAX];
static int slot_count;

typedef int wait_function(pthread_cond_t *, pthread_mutex_t *);
typedef int timed_wait_function(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);

/* The functions that our functions call. They are set before the first word refers to one of ours. */
static wait_function *real_wait = pthread_cond_wait;
static timed_wait_function *real_timed_wait = pthread_cond_timedwait;

/* Another library has put a hook in front of ours. That hook may always call ours, so ours must not call it. */
static bool is_below_another[CALLS];

static int wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    struct lock_park park;
    bool parks = lock_begin_park(NULL, &park);
    int rc = real_wait(condition, mutex);
    if (parks)
        lock_end_park(&park);
    return rc;
}

static int timed_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *deadline)
{
    struct lock_park park;
    bool parks = lock_begin_park(deadline, &park);
    int rc = real_timed_wait(condition, mutex, deadline);
    if (parks)
        lock_end_park(&park);
    return rc;
}

/* ---- the library's tables ---- */

static uintptr_t ours(enum call call)
{
    return call == WAIT ? (uintptr_t)wait : (uintptr_t)timed_wait;
}

static uintptr_t real(enum call call)
{
    return call == WAIT ? (uintptr_t)real_wait : (uintptr_t)real_timed_wait;
}

static void find_slots(const struct library *l, const struct tables *t, const ElfW(Rela) * table, size_t bytes)
{
    static const char *const names[CALLS] = {"pthread_cond_wait", "pthread_cond_timedwait"};
    for (size_t i = 0; table && i < bytes / sizeof *table; i++) {
        if (!tables_is_call(&table[i]))
            continue;
        const char *name = t->strings + t->symbols[ELF64_R_SYM(table[i].r_info)].st_name;
        for (int k = 0; k < CALLS && slot_count < SLOTS_MAX; k++)
            if (!strcmp(name, names[k]))
                slots[slot_count++] = (struct slot){.at = (_Atomic uintptr_t *)(l->base + table[i].r_offset), .call = (enum call)k};
    }
}

/* ---- the words ---- */

/* Notes the function to call. If a word still leads to the loader, which would replace it by the C library's function at the first call,
 * our function calls the C library directly. Otherwise the word may refer to another hook, which stays in the chain. */
static void note_real(const struct library *l, const struct slot *s)
{
    if (s->before >= l->low && s->before < l->high)
        return;
    if (s->call == WAIT)
        real_wait = (wait_function *)s->before;
    else
        real_timed_wait = (timed_wait_function *)s->before;
}

/* Whether the word must be changed. It must not if ours is already called, or would be called by the function that it calls. */
static bool wants_hook(struct slot *s)
{
    s->before = atomic_load_explicit(s->at, memory_order_relaxed);
    if (s->before != ours(s->call) && (!is_below_another[s->call] || s->before == real(s->call)))
        return true;
    s->before = ours(s->call);
    return false;
}

static bool write_all(void)
{
    struct mappings m;
    bool good = true;
    mappings_read(&m);
    for (int i = 0; i < slot_count && good; i++)
        good = slots[i].before == ours(slots[i].call) || tables_write(&m, slots[i].at, ours(slots[i].call));
    mappings_free(&m);
    return good;
}

int parks_open(uintptr_t address, struct error *e)
{
    struct library library;
    struct tables t;
    slot_count = 0;
    if (!tables_library_at(&library, address))
        return error_set(e, -ENOTSUP, "the JVM's library shows no tables");
    if (!tables_read(&library, &t))
        return error_set(e, -ENOTSUP, "the JVM's library shows no symbols");
    find_slots(&library, &t, t.calls, t.calls_bytes);
    find_slots(&library, &t, t.others, t.others_bytes);
    if (!slot_count)
        return error_set(e, -ENOTSUP, "the agent does not recognize how the JVM's library calls the condition variables of the C library");
    for (int i = 0; i < slot_count; i++)
        if (wants_hook(&slots[i]))
            note_real(&library, &slots[i]);
    if (write_all())
        return 0;
    parks_close();
    return error_set(e, -EPERM, "the JVM's tables may not be written (a security module?)");
}

void parks_close(void)
{
    struct mappings m;
    mappings_read(&m);
    for (int i = 0; i < slot_count; i++) {
        const struct slot *s = &slots[i];
        uintptr_t now = atomic_load_explicit(s->at, memory_order_relaxed), own = ours(s->call);
        if (s->before == own)
            continue;
        if (now == own)
            tables_write(&m, s->at, s->before);
        else if (now != s->before)
            is_below_another[s->call] = true;
    }
    mappings_free(&m);
    slot_count = 0;
}
