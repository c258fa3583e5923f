#include "agent/collect/lock/open_virtual_waits.h"

#include "agent/collect/lock/lock_samples.h"
#include "agent/context/owners.h"
#include "agent/context/records.h"
#include "agent/hot/calls/lock.h"
#include "agent/hot/signal/handler.h"
#include "agent/record/names/class_name.h"
#include "base/text/units.h"

#include <stdbool.h>

struct open_wait {
    uint64_t id;
    struct virtual_wait wait;
};

/* The waits that are recorded: each of `count` waits is among them with the same probability. */
static struct {
    struct open_wait list[OPEN_VIRTUAL_WAITS_MOST];
    uint64_t count, random;
} drawn;

/* Keeps a wait with the probability MOST / count, in place of one of the others. */
static void draw(const struct open_wait *o)
{
    uint64_t place = drawn.count++;
    if (place >= OPEN_VIRTUAL_WAITS_MOST)
        place = handler_random(&drawn.random) % drawn.count;
    if (place < OPEN_VIRTUAL_WAITS_MOST)
        drawn.list[place] = *o;
}

static uint64_t ns_of(const struct virtual_wait *wait, uint64_t now)
{
    return now > wait->since ? now - wait->since : 0;
}

static void record(const struct open_wait *o, uint64_t now, uint64_t chosen)
{
    static uint64_t words[LANE_CLASS_WORDS_MAX]; /* these are too large for this thread's stack */
    static struct context_words context;
    struct names *names = &lock_samples.recording->names;
    struct lock_wait wait = {
        .kind = (enum lock_kind)o->wait.kind, .since = o->wait.since, .ns = ns_of(&o->wait, now), .target = o->wait.target};
    wait.target.owner = (struct lock_owner){0}; /* it may have changed since the wait began */
    wait.weight = (uint64_t)((double)wait.ns * (double)drawn.count / (double)chosen);
    size_t of_class = lock_class_words(wait.target.klass, words);
    if (!context_copy_running(records_address(owners_find(o->id)), &context))
        context_lose(CONTEXT_LOSS_IN_CHANGE);
    struct lock_sample s = {.virtual_id = names_virtual_thread(names, &o->id, 1),
                            .outcome = OUTCOME_UNMOUNTED,
                            .wait = &wait,
                            .is_open = true,
                            .has_class = of_class,
                            .class_name = of_class ? class_name_symbol(&names->strings, words, of_class) : 0,
                            .context = names_context(names, context.words, context.count),
                            .stack = names_failed_stack(names, OUTCOME_UNMOUNTED, 0)};
    lock_samples_take(&s);
}

void open_virtual_waits_take(void)
{
    uint32_t place = 0, beginning = atomic_load(&lock_config.beginning);
    uint64_t key, now = clock_monotonic_ns();
    struct open_wait o;
    drawn.count = 0;
    drawn.random = now | 1;
    while (virtual_waits_claim(&lock_virtual_waits, &place, &key, &o.wait))
        if (o.wait.beginning == beginning) {
            o.id = key >> LOCK_VIRTUAL_SHIFT;
            lock_samples_count_open((enum lock_kind)o.wait.kind, ns_of(&o.wait, now));
            draw(&o);
        }
    uint64_t chosen = drawn.count < OPEN_VIRTUAL_WAITS_MOST ? drawn.count : OPEN_VIRTUAL_WAITS_MOST;
    for (uint64_t i = 0; i < chosen; i++)
        record(&drawn.list[i], now, chosen);
}
