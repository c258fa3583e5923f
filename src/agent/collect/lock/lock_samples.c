#include "agent/collect/lock/lock_samples.h"

#include "agent/hot/layout.h"

/* A deadline above this value is a time of day. A lower one is a time of the monotonic clock, which counts from the machine's start. */
#define TIME_OF_DAY_NS (UINT64_C(1) << 59)

struct lock_samples lock_samples;

void lock_samples_begin(struct recording *r, const uint32_t *outcome_symbols)
{
    lock_samples = (struct lock_samples){.recording = r, .outcome_symbols = outcome_symbols};
}

/* Returns the id in events of the thread that holds a lock. If its slot has been freed, the thread was named at that time, and may be
 * forgotten: 0. A holder without a slot is a virtual thread, if the JVM has any. */
static uint32_t owner_thread(const struct lock_owner *owner)
{
    struct names *names = &lock_samples.recording->names;
    uint64_t id = (uint64_t)owner->java_id;
    if (!owner->uid)
        return id && vm_layout.virtuals.usable ? names_virtual_thread(names, &id, 1) : 0;
    const struct sampled_thread *t = &sampled_threads[owner->slot];
    if (t->uid == owner->uid)
        names_thread(names, t);
    return names_knows_thread(names, owner->uid << 1) ? owner->uid << 1 : 0;
}

static void set_deadline(struct jfr_lock_wait *e, const struct lock_wait *wait)
{
    e->timeout_ns = e->until_epoch_ms = INT64_MIN;
    if (wait->deadline >= TIME_OF_DAY_NS)
        e->until_epoch_ms = (int64_t)(wait->deadline / 1000000);
    else if (wait->deadline)
        e->timeout_ns = (int64_t)(wait->deadline - wait->since);
}

void lock_samples_take(const struct lock_sample *s)
{
    const struct lock_wait *wait = s->wait;
    struct jfr_writer *w = lock_samples.recording->writer;
    uint32_t own = s->thread ? names_thread_id(s->thread) : 0;
    struct jfr_lock_wait e = {.ticks = wait->since,
                              .duration_ticks = wait->ns,
                              .thread = s->virtual_id ? s->virtual_id : own,
                              .carrier = s->virtual_id ? own : 0,
                              .stack = s->stack,
                              .class_name = s->class_name,
                              .has_class = s->has_class,
                              .owner = owner_thread(&wait->target.owner),
                              .address = wait->target.address,
                              .weight_ns = wait->weight,
                              .finished = !s->is_open,
                              .context = s->context,
                              .owner_context = s->owner_context,
                              .outcome = lock_samples.outcome_symbols[s->outcome]};
    uint64_t dropped = jfr_writer_dropped(w);
    set_deadline(&e, wait);
    if (wait->kind == LOCK_MONITOR)
        jfr_write_monitor_enter(w, &e);
    else
        jfr_write_thread_park(w, &e);
    if (jfr_writer_dropped(w) != dropped) {
        lock_lose(LOCK_LOSS_MEMORY, wait->weight);
        return;
    }
    struct account *account = wait->is_whole ? &lock_samples.whole : &lock_samples.drawn;
    account->ns += (int64_t)wait->weight;
    account->count++;
}

uint32_t lock_samples_stack(const struct sampled_thread *t, enum outcome outcome, uint64_t *frames, size_t count)
{
    struct names *n = &lock_samples.recording->names;
    names_thread(n, t);
    if (outcome_has_stack(outcome))
        return names_stack(n, frames, count, ROLE_OTHER, outcome == OUTCOME_TRUNCATED);
    return names_failed_stack(n, outcome, 0);
}

uint32_t lock_samples_pseudo_stack(const struct sampled_thread *t, const char *name)
{
    struct names *n = &lock_samples.recording->names;
    names_thread(n, t);
    uint64_t frame = frame_java(JFR_FRAME_PSEUDO, names_pseudo(n, "", name), 0);
    return stacks_add(&n->stacks, &frame, 1) << 1;
}

uint32_t lock_samples_outcome(enum outcome outcome)
{
    return lock_samples.outcome_symbols[outcome];
}

void lock_samples_count_open(enum lock_kind kind, uint64_t ns)
{
    lock_samples.open[kind].ns += (int64_t)ns;
    lock_samples.open[kind].count++;
}
