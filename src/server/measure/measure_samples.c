/* Key metrics from the weights of samples: allocation, waits for locks, and CPU time where no books have it. */
#include "profile/locks.h"
#include "server/measure/measure.h"

#include <string.h>

/* Whether a parked thread waits for a lock, by the class of the object that it is parked for. A ConditionObject is what threads of a pool
 * wait on when they have nothing to do. */
static bool is_lock(const char *class_name)
{
    static const char locks[] = "java.util.concurrent.locks.", semaphore[] = "java.util.concurrent.Semaphore$";
    if (!strncmp(class_name, locks, sizeof locks - 1))
        return !strstr(class_name, "ConditionObject");
    return !strncmp(class_name, semaphore, sizeof semaphore - 1);
}

static enum key_metric metric_of_wait(const struct profile *p, const struct profile_sample *s)
{
    if (s->state == JFR_STATE_MONITOR || is_lock(profile_text(p, locks_label(p, s, "class"))))
        return KEY_LOCK_WAIT;
    return KEY_PARK_WAIT;
}

static enum key_metric metric_of_type(const char *type)
{
    static const struct {
        const char *type;
        enum key_metric metric;
    } types[] = {{"cpu:ns", KEY_CPU}, {"alloc_space:bytes", KEY_ALLOC}, {"lock:ns", KEY_LOCK_WAIT}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i].type, type))
            return types[i].metric;
    return KEY_METRICS;
}

void measure_samples(struct minutes *m, const struct profile *p, const char *type)
{
    enum key_metric metric = metric_of_type(type);
    bool waits = profile_is_of_locks(p);
    uint64_t untimed = 0;
    if (metric == KEY_METRICS || minutes_knows(m, metric))
        return;
    minutes_know(m, metric);
    if (waits)
        minutes_know(m, KEY_PARK_WAIT);
    for (uint32_t i = 0; i < p->sample_count; i++) {
        const struct profile_sample *s = &p->samples[i];
        if (s->time_ns)
            minutes_add(m, waits ? metric_of_wait(p, s) : metric, s->time_ns, (int64_t)s->weight);
        else
            untimed += s->weight;
    }
    minutes_spread(m, metric, (int64_t)untimed);
}
