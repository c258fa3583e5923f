#include "agent/control/options.h"

#include "agent/collect/paths.h"
#include "agent/trigger/alloc_events.h"
#include "base/percent.h"
#include "base/units.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEFAULT_INTERVAL_NS = 10000000 };

static int broken(const char *key, struct error *e)
{
    return error_set(e, -EINVAL, "option '%s': broken %%-encoding", key);
}

/* "%p", which no encoded text holds, stands for the process's number: it keeps apart the files of several JVMs. */
static int set_file(struct collect_options *o, char *value, struct error *e)
{
    size_t used = 0;
    o->file[0] = 0;
    for (char *part = value, *pid; part; part = pid ? pid + 2 : NULL) {
        pid = strstr(part, "%p");
        if (pid)
            *pid = 0;
        if (percent_decode(part))
            return broken("file", e);
        size_t room = sizeof o->file - used;
        used += (size_t)(pid ? snprintf(o->file + used, room, "%s%d", part, (int)getpid())
                             : snprintf(o->file + used, room, "%s", part));
        if (used >= sizeof o->file)
            return error_set(e, -ENAMETOOLONG, "file name too long (at most %zu bytes)", sizeof o->file - 1);
    }
    if (o->file[0] != '/')
        return error_set(e, -EINVAL, "file '%s' is not an absolute path", o->file);
    return 0;
}

static int set_descriptor(struct collect_options *o, char *value, struct error *e)
{
    if (strcmp(value, "passed"))
        return error_set(e, -EINVAL, "descriptor '%s': use passed, and send it with the request", value);
    o->passed = true;
    return 0;
}

static int set_interval(struct collect_options *o, char *value, struct error *e)
{
    if (units_parse_duration(value, &o->interval_ns) || o->interval_ns < CLOCK_INTERVAL_MIN_NS ||
        o->interval_ns > 10000000000u)
        return error_set(e, -EINVAL, "interval '%s': use a duration from 100us to 10s", value);
    return 0;
}

static int set_max_rate(struct collect_options *o, char *value, struct error *e)
{
    if (units_parse_rate(value, &o->limits.max_rate))
        return error_set(e, -EINVAL, "max-rate '%s': use samples per second, such as 600/s", value);
    return 0;
}

static int set_max_overhead(struct collect_options *o, char *value, struct error *e)
{
    if (units_parse_percent(value, &o->limits.max_overhead))
        return error_set(e, -EINVAL, "max-overhead '%s': use a share of the process's CPU time, such as 1%%", value);
    return 0;
}

static int set_duration(struct collect_options *o, char *value, struct error *e)
{
    if (units_parse_seconds(value, &o->duration_ns))
        return error_set(e, -EINVAL, "duration '%s': use a number of seconds, or one with a unit, such as 5m", value);
    return 0;
}

static int set_clock(struct collect_options *o, char *value, struct error *e)
{
    for (int kind = 0; kind < CLOCK_KINDS; kind++)
        if (!strcmp(value, clock_names[kind])) {
            o->clock = (enum clock_kind)kind;
            return 0;
        }
    return error_set(e, -EINVAL, "clock '%s': use auto, sigtrap, signal, timer or itimer", value);
}

static int set_walker(struct collect_options *o, char *value, struct error *e)
{
    for (int i = 0; i < WALKERS; i++)
        if (!strcmp(value, walker_names[i])) {
            o->walker = (enum walker)i;
            return 0;
        }
    return error_set(e, -EINVAL, "walker '%s': use auto, vmstructs, agct or compare", value);
}

static int set_switch(bool *on, const char *name, const char *value, struct error *e)
{
    *on = !strcmp(value, "on");
    if (!*on && strcmp(value, "off"))
        return error_set(e, -EINVAL, "%s '%s': use on or off", name, value);
    return 0;
}

static int set_carrier_frames(struct collect_options *o, char *value, struct error *e)
{
    return set_switch(&o->carrier_frames, "carrier-frames", value, e);
}

static int set_recompile(struct collect_options *o, char *value, struct error *e)
{
    return set_switch(&o->recompile, "recompile", value, e);
}

static int set_asm(struct collect_options *o, char *value, struct error *e)
{
    return set_switch(&o->code, "asm", value, e);
}

/* Nothing that the agent does differently: who started the recording asks it, in the end, what was to go on beside it. */
static int set_jfr(struct collect_options *o, char *value, struct error *e)
{
    static const char *const modes[] = {"existing", "on"};
    o->jfr = NULL;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (!strcmp(value, modes[i]))
            o->jfr = modes[i];
    if (!o->jfr && strcmp(value, "off"))
        return error_set(e, -EINVAL, "jfr '%s': use off, existing or on", value);
    return 0;
}

static int set_keep(struct collect_options *o, char *value, struct error *e)
{
    if (units_parse_duration(value, &o->keep.ns) || o->keep.ns < KEEP_NS_MIN)
        return error_set(e, -EINVAL, "keep '%s': use a duration of 1s or more, such as 5m", value);
    return 0;
}

static int set_max_size(struct collect_options *o, char *value, struct error *e)
{
    if (units_parse_size(value, &o->keep.bytes) || o->keep.bytes < KEEP_BYTES_MIN || o->keep.bytes > KEEP_BYTES_MAX)
        return error_set(e, -EINVAL, "max-size '%s': use a size from 1MB to 1GB, such as 100MB", value);
    return 0;
}

static int set_dump_on(struct collect_options *o, char *value, struct error *e)
{
    return alarm_rule_parse(&o->dumps.rule, value, e);
}

static int set_dump_dir(struct collect_options *o, char *value, struct error *e)
{
    if (value[0] != '/' || strlen(value) >= sizeof o->dumps.folder)
        return error_set(e, -EINVAL, "dump-dir '%.200s': use an absolute path, as this JVM sees it", value);
    snprintf(o->dumps.folder, sizeof o->dumps.folder, "%s", value);
    return 0;
}

static int set_dump_max(struct collect_options *o, char *value, struct error *e)
{
    char *end;
    unsigned long n = strtoul(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end || !n || n > DUMPS_MAX_MOST)
        return error_set(e, -EINVAL, "dump-max '%s': use a number from 1 to %d", value, DUMPS_MAX_MOST);
    o->dumps.max = (uint32_t)n;
    return 0;
}

static int set_dump_pause(struct collect_options *o, char *value, struct error *e)
{
    if (units_parse_duration(value, &o->dumps.pause_ns) || o->dumps.pause_ns < DUMPS_PAUSE_MIN_NS)
        return error_set(e, -EINVAL, "dump-pause '%s': use a duration of 1s or more", value);
    return 0;
}

/* One event, by its name's first len bytes; 0 = none. */
static unsigned event_named(const char *text, size_t len)
{
    for (unsigned i = 0; i < COLLECT_EVENTS; i++)
        if (strlen(collect_event_names[i]) == len && !strncmp(text, collect_event_names[i], len))
            return 1u << i;
    return 0;
}

/* The set of events that the text, "wall,cpu" or "cpu+wall", names in any order; 0 = it is none. */
static unsigned parse_events(const char *text)
{
    unsigned found = 0;
    while (*text) {
        size_t len = strcspn(text, ",+");
        unsigned event = event_named(text, len);
        if (!event || found & event)
            return 0;
        found |= event;
        text += len + (text[len] && text[len + 1]);
    }
    if (found & COLLECT_LIVE)
        found |= COLLECT_ALLOC;
    return found & COLLECT_SAFEPOINT && found != COLLECT_SAFEPOINT ? 0 : found;
}

static int set_event(struct collect_options *o, char *value, struct error *e)
{
    o->counter.name[0] = 0;
    o->events = parse_events(value);
    o->wall.alone = o->events && !(o->events & COLLECT_CPU);
    if (o->events)
        return 0;
    o->events = COLLECT_CPU;
    if (strpbrk(value, ",+"))
        return error_set(e, -EINVAL,
                         "event '%.200s': use cpu, wall, alloc, live, lock and halt, one or several (cpu,wall; the comma as %%2C), or "
                         "safepoint, or one that perf counts, alone", value);
    return event_counter_find(&o->counter, value, e);
}

static int set_event_interval(struct collect_options *o, char *value, struct error *e)
{
    char *end;
    errno = 0;
    o->event_interval = strtoull(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end || errno || !o->event_interval || o->event_interval > EVENT_COUNTER_INTERVAL_MAX)
        return error_set(e, -EINVAL, "event-interval '%.40s': use how many events lie between two samples, such as 1000", value);
    return 0;
}

/* Nothing but the intervals of CPU time can be told in nanoseconds. */
static int check_counter(const struct collect_options *o, struct error *e)
{
    bool counts = o->counter.name[0];
    if (!counts && o->event_interval)
        return error_set(e, -EINVAL, "event-interval is of an event that perf counts, such as event=page-faults");
    if (counts && o->interval_ns)
        return error_set(e, -EINVAL, "event=%s has no interval of time: use event-interval, such as %llu", o->counter.name,
                         (unsigned long long)o->counter.interval);
    if (counts && o->event_interval && o->event_interval < o->counter.least)
        return error_set(e, -EINVAL, "event-interval %llu: for %s use %llu or more; below that the program would do little but sample",
                         (unsigned long long)o->event_interval, o->counter.name, (unsigned long long)o->counter.least);
    if (counts && (o->limits.max_rate || o->limits.max_overhead))
        return error_set(e, -EINVAL, "max-rate and max-overhead are of event=cpu: leave them out, and raise event-interval where there are "
                         "too many samples");
    if (counts && (o->clock == CLOCK_TIMER || o->clock == CLOCK_ITIMER))
        return error_set(e, -EINVAL, "clock=%s knows CPU time alone: leave it out to count %s", clock_names[o->clock], o->counter.name);
    return 0;
}

static int set_alloc_rate(struct collect_options *o, char *value, struct error *e)
{
    if (units_parse_rate(value, &o->alloc.rate) || o->alloc.rate > ALLOCATIONS_RATE_MAX)
        return error_set(e, -EINVAL, "alloc-rate '%s': use samples per second, from 1 to 1000000, such as 100/s", value);
    return 0;
}

static int set_alloc_interval(struct collect_options *o, char *value, struct error *e)
{
    if (units_parse_size(value, &o->alloc.interval) || o->alloc.interval < ALLOCATIONS_INTERVAL_MIN ||
        o->alloc.interval > ALLOC_INTERVAL_MAX)
        return error_set(e, -EINVAL, "alloc-interval '%s': use a size from 1k to 2047m, such as 512k", value);
    return 0;
}

static int set_live_max(struct collect_options *o, char *value, struct error *e)
{
    char *end;
    unsigned long n = strtoul(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end || n < LIVE_MAX_LEAST || n > LIVE_MAX_MOST)
        return error_set(e, -EINVAL, "live-max '%s': use a number of objects from %d to %d", value, LIVE_MAX_LEAST, LIVE_MAX_MOST);
    o->live.max = (uint32_t)n;
    return 0;
}

/* Of a recording, at its end; of a dump, now. */
static int set_paths(struct collect_options *o, char *value, struct error *e)
{
    if (units_parse_duration(value, &o->live.paths_ns) || !o->live.paths_ns || o->live.paths_ns > PATHS_BUDGET_MAX_NS)
        return error_set(e, -EINVAL, "paths '%s': use the time that all threads may be stopped for it, up to 10m, such as 200ms", value);
    return 0;
}

static int check_alloc(const struct collect_options *o, struct error *e)
{
    if (!(o->events & COLLECT_ALLOC) && (o->alloc.rate || o->alloc.interval))
        return error_set(e, -EINVAL, "alloc-rate and alloc-interval need event=alloc or event=cpu,alloc");
    if (!(o->events & COLLECT_LIVE) && o->live.max)
        return error_set(e, -EINVAL, "live-max needs event=live or event=cpu,live");
    if (o->alloc.rate && o->alloc.interval)
        return error_set(e, -EINVAL, "alloc-rate and alloc-interval: use one of them");
    return 0;
}

static int set_lock_threshold(struct collect_options *o, char *value, struct error *e)
{
    bool none = !strcmp(value, "0");
    o->lock.has_threshold = true;
    o->lock.threshold_ns = 0;
    if (!none && (units_parse_duration(value, &o->lock.threshold_ns) || o->lock.threshold_ns > LOCKS_THRESHOLD_MAX_NS))
        return error_set(e, -EINVAL, "lock-threshold '%s': use a duration up to 10s, such as 1ms, or 0 for all waits", value);
    return 0;
}

static int set_lock_rate(struct collect_options *o, char *value, struct error *e)
{
    if (units_parse_rate(value, &o->lock.rate) || !o->lock.rate || o->lock.rate > LOCKS_RATE_MAX)
        return error_set(e, -EINVAL, "lock-rate '%s': use waits recorded per second, from 1/s to 1000000/s", value);
    return 0;
}

static int check_lock(const struct collect_options *o, struct error *e)
{
    if (!(o->events & COLLECT_LOCK) && (o->lock.has_threshold || o->lock.rate))
        return error_set(e, -EINVAL, "lock-threshold and lock-rate are the event lock's; record with event=lock");
    return 0;
}

static int check_clock(const struct collect_options *o, struct error *e)
{
    char events[COLLECT_EVENTS_BYTES];
    collect_events_text(events, o->events);
    if (!(o->events & COLLECT_BY_INTERVAL) && (o->clock != CLOCK_AUTO || o->limits.max_rate || o->limits.max_overhead))
        return error_set(e, -EINVAL, "event=%s has no clock: leave out clock, max-rate and max-overhead, or use event=cpu,%s", events,
                         events);
    return 0;
}

static int set_wall_interval(struct collect_options *o, char *value, struct error *e)
{
    if (units_parse_duration(value, &o->wall.interval_ns) || o->wall.interval_ns < WALL_INTERVAL_MIN_NS ||
        o->wall.interval_ns > 10000000000u)
        return error_set(e, -EINVAL, "wall-interval '%s': use a duration from 1ms to 10s", value);
    return 0;
}

static int set_wall_rate(struct collect_options *o, char *value, struct error *e)
{
    if (units_parse_rate(value, &o->wall.rate) || !o->wall.rate || o->wall.rate > WALL_RATE_MAX)
        return error_set(e, -EINVAL, "wall-rate '%s': use looks at threads per second, from 1/s to %d/s", value, WALL_RATE_MAX);
    return 0;
}

/* Whether its rounds are what the interval is of. */
static bool is_of_rounds(const struct collect_options *o)
{
    return o->events & COLLECT_WALL && !(o->events & COLLECT_CPU);
}

static int check_wall(const struct collect_options *o, struct error *e)
{
    if (!(o->events & COLLECT_WALL) && (o->wall.interval_ns || o->wall.rate))
        return error_set(e, -EINVAL, "wall-interval and wall-rate are the event wall's; record with event=wall");
    if (!is_of_rounds(o))
        return 0;
    if (o->interval_ns && o->interval_ns < WALL_INTERVAL_MIN_NS)
        return error_set(e, -EINVAL, "interval below 1ms: the event wall takes a look at 1ms or more; use 1ms or more");
    if (o->clock != CLOCK_AUTO || o->limits.max_rate || o->limits.max_overhead)
        return error_set(e, -EINVAL, "event=wall has no clock, and wall-rate is its budget: leave out clock, max-rate and max-overhead");
    return 0;
}

/* What was left open. */
static void settle(struct collect_options *o)
{
    bool rounds = is_of_rounds(o);
    if (!o->dumps.max)
        o->dumps.max = DUMPS_MAX_DEFAULT;
    if (o->counter.name[0])
        o->interval_ns = o->event_interval = o->event_interval ? o->event_interval : o->counter.interval;
    if (!o->interval_ns)
        o->interval_ns = rounds && o->wall.interval_ns ? o->wall.interval_ns : rounds ? WALL_INTERVAL_DEFAULT_NS : DEFAULT_INTERVAL_NS;
    if (!(o->events & COLLECT_WALL))
        return;
    if (!o->wall.interval_ns)
        o->wall.interval_ns = rounds ? o->interval_ns : WALL_INTERVAL_DEFAULT_NS;
    if (!o->wall.rate)
        o->wall.rate = WALL_RATE_DEFAULT;
}

static int check_dumps(const struct collect_options *o, struct error *e)
{
    bool about_dumps = o->dumps.folder[0] || o->dumps.pause_ns || o->dumps.max;
    if (about_dumps && !o->dumps.rule.text[0])
        return error_set(e, -EINVAL, "dump-dir, dump-max and dump-pause need dump-on, which says when to dump");
    return 0;
}

/* What the options are together. */
static int check(const struct collect_options *o, struct error *e)
{
    int rc = check_alloc(o, e);
    rc = rc ? rc : check_clock(o, e);
    if (rc || o->events != COLLECT_SAFEPOINT)
        return rc;
    if (o->interval_ns < COLLECT_SAFEPOINT_INTERVAL_MIN_NS)
        return error_set(e, -EINVAL, "interval below 1ms: each sample of event=safepoint stops all threads; use 1ms or more");
    if (o->clock != CLOCK_AUTO || o->walker != WALKER_AUTO || o->carrier_frames || o->recompile || o->code || o->limits.max_rate ||
        o->limits.max_overhead)
        return error_set(e, -EINVAL, "event=safepoint has no clock and no walker of its own: leave out clock, walker, "
                         "carrier-frames, recompile, asm, max-rate and max-overhead");
    return 0;
}

static const struct {
    const char *key;
    int (*set)(struct collect_options *, char *, struct error *);
} keys[] = {{"file", set_file},         {"descriptor", set_descriptor},
            {"interval", set_interval}, {"duration", set_duration},
            {"clock", set_clock},       {"event", set_event},
            {"walker", set_walker},     {"carrier-frames", set_carrier_frames},
            {"recompile", set_recompile}, {"asm", set_asm},
            {"max-rate", set_max_rate},
            {"max-overhead", set_max_overhead}, {"keep", set_keep},
            {"max-size", set_max_size}, {"dump-on", set_dump_on},
            {"dump-dir", set_dump_dir}, {"dump-max", set_dump_max},
            {"dump-pause", set_dump_pause}, {"alloc-rate", set_alloc_rate},
            {"alloc-interval", set_alloc_interval}, {"wall-interval", set_wall_interval},
            {"wall-rate", set_wall_rate}, {"live-max", set_live_max}, {"paths", set_paths},
            {"lock-threshold", set_lock_threshold}, {"lock-rate", set_lock_rate},
            {"event-interval", set_event_interval}, {"jfr", set_jfr}};

static int unknown(const char *key, bool of_dump, struct error *e)
{
    if (of_dump)
        return error_set(e, -EINVAL, "option '%s' is none of dump's, which are file, descriptor and paths", key);
    return error_set(e, -EINVAL,
                     "unknown option '%s'; known are "
                     "file, descriptor, interval, duration, clock, walker, event, carrier-frames, recompile, asm, max-rate, "
                     "max-overhead, keep, max-size, dump-on, dump-dir, dump-max, dump-pause, alloc-rate, alloc-interval, wall-interval, "
                     "wall-rate, live-max, paths, lock-threshold, lock-rate, event-interval and jfr",
                     key);
}

static bool is_of_dump(int (*set)(struct collect_options *, char *, struct error *))
{
    return set == set_file || set == set_descriptor || set == set_paths;
}

/* given: a bit per key that came before. */
static int set_one(struct collect_options *o, char *pair, bool of_dump, uint64_t *given, struct error *e)
{
    char *value = strchr(pair, '=');
    if (!value)
        return error_set(e, -EINVAL, "option '%s' has no value", pair);
    *value++ = 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strcmp(pair, keys[i].key) != 0 || (of_dump && !is_of_dump(keys[i].set)))
            continue;
        if (*given >> i & 1)
            return error_set(e, -EINVAL, "option '%s' is given twice; leave one out", pair);
        *given |= UINT64_C(1) << i;
        return keys[i].set != set_file && percent_decode(value) ? broken(pair, e) : keys[i].set(o, value, e);
    }
    return unknown(pair, of_dump, e);
}

static int set_all(struct collect_options *o, char *text, bool of_dump, struct error *e)
{
    uint64_t given = 0;
    int rc = 0;
    _Static_assert(sizeof keys / sizeof *keys <= 64, "a bit per key");
    memset(o, 0, sizeof *o);
    o->events = COLLECT_CPU;
    while (text && *text && !rc) {
        char *next = strchr(text, ',');
        if (next)
            *next++ = 0;
        rc = *text ? set_one(o, text, of_dump, &given, e) : 0;
        text = next;
    }
    if (!rc && o->passed && !o->file[0])
        return error_set(e, -EINVAL, "descriptor needs file, the name of what is passed");
    return rc;
}

int options_parse_dump(struct collect_options *out, char *text, struct error *e)
{
    return set_all(out, text, true, e);
}

int options_parse(struct collect_options *out, char *text, struct error *e)
{
    int rc = set_all(out, text, false, e);
    rc = rc ? rc : check_counter(out, e);
    rc = rc ? rc : check_wall(out, e);
    rc = rc ? rc : check_lock(out, e);
    rc = rc ? rc : check_dumps(out, e);
    settle(out);
    return rc ? rc : check(out, e);
}
