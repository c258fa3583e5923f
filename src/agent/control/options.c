#include "agent/control/options.h"

#include "base/agreed/recording_options.h"
#include "base/text/number.h"
#include "base/text/percent.h"
#include "base/time_units.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { DEFAULT_INTERVAL_NS = 10 * NS_PER_MS };

static int broken(const char *key, struct error *e)
{
    return error_set(e, -EINVAL, "option '%s': broken %%-encoding", key);
}

/* Sets the file. "%p", which cannot occur in encoded text, is replaced by the process's id, so that several JVMs write different files. */
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
        used += (size_t)(pid ? snprintf(o->file + used, room, "%s%d", part, (int)getpid()) : snprintf(o->file + used, room, "%s", part));
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
        return error_set(e, -EINVAL, "descriptor '%s': use descriptor=passed, and send the descriptor with the request", value);
    o->passed = true;
    return 0;
}

static int set_name(struct collect_options *o, char *value, struct error *e)
{
    if (strlen(value) >= sizeof o->name)
        return error_set(e, -EINVAL, "name '%.80s': use at most %zu bytes", value, sizeof o->name - 1);
    snprintf(o->name, sizeof o->name, "%s", value);
    return 0;
}

static int set_recording(struct collect_options *o, char *value, struct error *e)
{
    uint64_t id;
    if (number_parse(value, 1, UINT32_MAX, &id) != NUMBER_GOOD)
        return error_set(e, -EINVAL, "recording '%.40s': use a number that 'status' shows", value);
    o->recording = (uint32_t)id;
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

static int set_clocks(struct collect_options *o, char *value, struct error *e)
{
    for (int mode = 0; mode < LOTS_MODES; mode++)
        if (!strcmp(value, lots_mode_names[mode])) {
            o->clocks = (enum lots_mode)mode;
            o->has_clocks = true;
            return 0;
        }
    return error_set(e, -EINVAL, "clocks '%s': use all, lot or auto", value);
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

/* Stores an option that the agent does not use: the program that ends the recording asks for it. */
static int set_jfr(struct collect_options *o, char *value, struct error *e)
{
    static const char *const modes[] = {"existing", "on", "auto"};
    o->jfr = NULL;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (!strcmp(value, modes[i]))
            o->jfr = modes[i];
    if (!o->jfr && strcmp(value, "off"))
        return error_set(e, -EINVAL, "jfr '%s': use off, existing, on or auto", value);
    return 0;
}

static int set_heal(struct collect_options *o, char *value, struct error *e)
{
    for (int i = HEAL_OFF; i < HEAL_MODES; i++)
        if (!strcmp(value, heal_mode_names[i])) {
            o->heal = (enum heal_mode)i;
            return 0;
        }
    return error_set(e, -EINVAL, "heal '%.60s': use off, paced or now", value);
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

/* Returns the event whose name is the first len bytes of the text; 0 = there is none. */
static unsigned event_named(const char *text, size_t len)
{
    for (unsigned i = 0; i < COLLECT_EVENTS; i++)
        if (strlen(collect_event_names[i]) == len && !strncmp(text, collect_event_names[i], len))
            return 1u << i;
    return 0;
}

/* Returns the set of events that a text such as "wall,cpu" or "cpu+wall" names, in any order; 0 = the text is invalid. */
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
    if (o->events)
        return 0;
    o->events = COLLECT_CPU;
    if (strpbrk(value, ",+"))
        return error_set(e, -EINVAL,
                         "event '%.200s': use one or several of " RECORDING_EVENT_TOGETHER " (such as cpu,wall; the comma as %%2C), or "
                         "safepoint, or one that perf counts, alone",
                         value);
    return event_counter_find(&o->counter, value, e);
}

/* Checks the options for an event that perf counts. Options in units of time are valid for CPU time only. */
static int check_counter(const struct collect_options *o, struct error *e)
{
    bool counts = o->counter.name[0];
    if (!counts && o->event_interval)
        return error_set(e, -EINVAL, "event-interval needs an event that perf counts, such as event=page-faults");
    if (counts && o->interval_ns)
        return error_set(e, -EINVAL, "event=%s is not sampled by time: use event-interval instead of interval, such as %llu",
                         o->counter.name, (unsigned long long)o->counter.interval);
    if (counts && o->event_interval && o->event_interval < o->counter.least)
        return error_set(e, -EINVAL,
                         "event-interval %llu: for %s use %llu or more; below that the program would spend most of its time on samples",
                         (unsigned long long)o->event_interval, o->counter.name, (unsigned long long)o->counter.least);
    if (counts && (o->limits.max_rate || o->limits.max_overhead))
        return error_set(
            e, -EINVAL, "max-rate and max-overhead need event=cpu: leave them out, and raise event-interval if there are too many samples");
    if (counts && (o->clock == CLOCK_TIMER || o->clock == CLOCK_ITIMER))
        return error_set(e, -EINVAL, "clock=%s measures only CPU time: leave it out to count %s", clock_names[o->clock], o->counter.name);
    return 0;
}

static int check_alloc(const struct collect_options *o, struct error *e)
{
    if (o->alloc.rate && o->alloc.interval)
        return error_set(e, -EINVAL, "alloc-rate and alloc-interval: use one of them");
    return 0;
}

static int check_clock(const struct collect_options *o, struct error *e)
{
    char events[COLLECT_EVENTS_BYTES];
    collect_events_text(events, o->events);
    if (o->clocks != LOTS_ALL && (!(o->events & COLLECT_CPU) || o->counter.name[0]))
        return error_set(e, -EINVAL, "clocks=%s needs event=cpu: record that event, too, or leave the option out",
                         lots_mode_names[o->clocks]);
    if (!(o->events & COLLECT_BY_INTERVAL) && (o->clock != CLOCK_AUTO || o->limits.max_rate || o->limits.max_overhead))
        return error_set(e, -EINVAL, "event=%s uses no clock: leave out clock, max-rate and max-overhead, or use event=cpu,%s", events,
                         events);
    return 0;
}

/* Whether the interval is the one between rounds of the event wall. */
static bool is_of_rounds(const struct collect_options *o)
{
    return o->events & COLLECT_WALL && !(o->events & COLLECT_CPU);
}

static int check_wall(const struct collect_options *o, struct error *e)
{
    if (!is_of_rounds(o))
        return 0;
    if (o->interval_ns && o->interval_ns < WALL_INTERVAL_MIN_NS)
        return error_set(e, -EINVAL, "interval below 1ms: the event wall samples at most once per millisecond; use 1ms or more");
    if (o->clock != CLOCK_AUTO || o->limits.max_rate || o->limits.max_overhead)
        return error_set(e, -EINVAL, "event=wall uses no clock, and wall-rate limits its cost: leave out clock, max-rate and max-overhead");
    return 0;
}

/* Sets the options that were not given. */
static void settle(struct collect_options *o)
{
    if (o->recompile)
        o->heal = HEAL_NOW;
    else if (!o->heal)
        o->heal = o->events & COLLECT_CPU ? HEAL_PACED : HEAL_OFF;
    bool rounds = is_of_rounds(o);
    if (!o->has_clocks && o->events & COLLECT_CPU && !o->counter.name[0])
        o->clocks = LOTS_AUTO;
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
        return error_set(e, -EINVAL, "dump-dir, dump-max and dump-pause need dump-on, which says when to copy the recording");
    return 0;
}

static int check_heal(const struct collect_options *o, struct error *e)
{
    if (o->recompile && o->heal && o->heal != HEAL_NOW)
        return error_set(e, -EINVAL, "recompile means heal=now, which contradicts heal=%s: leave one of them out",
                         heal_mode_names[o->heal]);
    return 0;
}

/* Checks the options in combination. */
static int check(const struct collect_options *o, struct error *e)
{
    int rc = check_alloc(o, e);
    rc = rc ? rc : check_clock(o, e);
    if (rc || o->events != COLLECT_SAFEPOINT)
        return rc;
    if (o->interval_ns < COLLECT_SAFEPOINT_INTERVAL_MIN_NS)
        return error_set(e, -EINVAL, "interval below 1ms: each sample of event=safepoint stops all threads; use 1ms or more");
    if (o->clock != CLOCK_AUTO || o->walker != WALKER_AUTO || o->carrier_frames || o->heal > HEAL_OFF || o->code || o->limits.max_rate ||
        o->limits.max_overhead)
        return error_set(e, -EINVAL,
                         "event=safepoint uses no clock and no stack walker of the agent: leave out clock, walker, carrier-frames, heal, "
                         "recompile, asm, max-rate and max-overhead");
    return 0;
}

/* Checks that the recording has the events that the given options need. given: a bit per option. */
static int check_events(const struct collect_options *o, uint64_t given, struct error *e)
{
    char events[COLLECT_EVENTS_BYTES];
    collect_events_text(events, o->events);
    for (int i = 0; i < RECORDING_OPTIONS_COUNT; i++) {
        int n;
        const char *lacking = given >> i & 1 ? recording_option_lacks((enum recording_option)i, events, &n) : NULL;
        if (lacking)
            return error_set(e, -EINVAL, "%s needs event=%.*s: record that event too, or leave the option out",
                             recording_option_rows[i].key, n, lacking);
    }
    return 0;
}

/* The members for options whose value is a number. */
#define FIELD(symbol, letter, key, kind, least, most, field, event, argument, without, wants, help)                                        \
    [OPTION_##symbol] = {offsetof(struct collect_options, field), sizeof(((struct collect_options *)0)->field)},
static const struct {
    size_t offset, size;
} fields[RECORDING_OPTIONS_COUNT] = {RECORDING_OPTION_ROWS(FIELD, RECORDING_OPTION_NO_ROW, RECORDING_OPTION_NO_ROW)};

static int set_number(struct collect_options *o, enum recording_option option, const char *text, struct error *e)
{
    struct recording_option_value value;
    char *field = (char *)o + fields[option].offset;
    int rc = recording_option_read(option, text, &value, e);
    if (rc)
        return rc;
    if (recording_option_rows[option].kind == RECORDING_OPTION_SHARE)
        *(double *)field = value.share;
    else if (fields[option].size == sizeof(bool))
        *(bool *)field = value.number;
    else if (fields[option].size == sizeof(uint32_t))
        *(uint32_t *)field = (uint32_t)value.number;
    else
        *(uint64_t *)field = value.number;
    return 0;
}

typedef int setter(struct collect_options *, char *, struct error *);

/* The functions for options whose value is not a number. */
static setter *const words[RECORDING_OPTIONS_COUNT] = {
    [OPTION_EVENT] = set_event,       [OPTION_CLOCK] = set_clock, [OPTION_CLOCKS] = set_clocks, [OPTION_DUMP_ON] = set_dump_on,
    [OPTION_DUMP_DIR] = set_dump_dir, [OPTION_JFR] = set_jfr,     [OPTION_HEAL] = set_heal};

/* The functions for keys that the command line does not have. */
static const struct {
    const char *key;
    setter *set;
    unsigned requests;
} own[] = {{"file", set_file, REQUEST_START | REQUEST_DUMP},
           {"descriptor", set_descriptor, REQUEST_START | REQUEST_DUMP},
           {"walker", set_walker, REQUEST_START},
           {"name", set_name, REQUEST_START},
           {"recording", set_recording, REQUEST_DUMP | REQUEST_STOP | REQUEST_STATUS}};

enum { OWN = sizeof own / sizeof *own, KEYS = OWN + RECORDING_OPTIONS_COUNT };
_Static_assert(KEYS <= 64, "a bit per key");

/* Returns the key of an option. The options that the command line does not have come after the others. */
static const char *key_of(int i)
{
    return i < RECORDING_OPTIONS_COUNT ? recording_option_rows[i].key : own[i - RECORDING_OPTIONS_COUNT].key;
}

static bool is_of(int i, enum request request)
{
    unsigned requests = i == OPTION_PATHS ? REQUEST_START | REQUEST_DUMP : REQUEST_START;
    return (i < RECORDING_OPTIONS_COUNT ? requests : own[i - RECORDING_OPTIONS_COUNT].requests) & request;
}

static int unknown(const char *key, enum request request, struct error *e)
{
    char known[512];
    size_t used = 0;
    for (int i = 0; i < KEYS; i++)
        if (is_of(i, request))
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", key_of(i));
    if (request != REQUEST_START)
        return error_set(e, -EINVAL, "option '%.60s' is not for %s, which takes only %s", key,
                         request == REQUEST_DUMP ? "dump" : "stop or status", known);
    return error_set(e, -EINVAL, "unknown option '%.60s'; the options are %s", key, known);
}

static int set_value(struct collect_options *o, int i, char *value, struct error *e)
{
    if (strcmp(key_of(i), "file") && percent_decode(value)) /* in a file's name, %p has its own meaning */
        return broken(key_of(i), e);
    if (i >= RECORDING_OPTIONS_COUNT)
        return own[i - RECORDING_OPTIONS_COUNT].set(o, value, e);
    return words[i] ? words[i](o, value, e) : set_number(o, (enum recording_option)i, value, e);
}

/* Sets one option. given: a bit per key that has occurred. */
static int set_one(struct collect_options *o, char *pair, enum request request, uint64_t *given, struct error *e)
{
    char *value = strchr(pair, '=');
    if (!value)
        return error_set(e, -EINVAL, "option '%s' has no value", pair);
    *value++ = 0;
    for (int i = 0; i < KEYS; i++) {
        if (strcmp(pair, key_of(i)) || !is_of(i, request))
            continue;
        if (*given >> i & 1)
            return error_set(e, -EINVAL, "option '%s' is given twice; leave one out", pair);
        *given |= UINT64_C(1) << i;
        return set_value(o, i, value, e);
    }
    return unknown(pair, request, e);
}

static int set_all(struct collect_options *o, char *text, enum request request, uint64_t *given, struct error *e)
{
    int rc = 0;
    *given = 0;
    memset(o, 0, sizeof *o);
    o->events = COLLECT_CPU;
    while (text && *text && !rc) {
        char *next = strchr(text, ',');
        if (next)
            *next++ = 0;
        rc = *text ? set_one(o, text, request, given, e) : 0;
        text = next;
    }
    o->lock.has_threshold = *given >> OPTION_LOCK_THRESHOLD & 1;
    if (!rc && o->passed && !o->file[0])
        return error_set(e, -EINVAL, "descriptor needs file, the name of the file that is passed");
    return rc;
}

int options_parse_about(struct collect_options *out, char *text, enum request request, struct error *e)
{
    uint64_t given;
    return set_all(out, text, request, &given, e);
}

int options_parse(struct collect_options *out, char *text, struct error *e)
{
    uint64_t given;
    int rc = set_all(out, text, REQUEST_START, &given, e);
    rc = rc ? rc : check_counter(out, e);
    rc = rc ? rc : check_events(out, given, e);
    rc = rc ? rc : check_wall(out, e);
    rc = rc ? rc : check_dumps(out, e);
    rc = rc ? rc : check_heal(out, e);
    settle(out);
    return rc ? rc : check(out, e);
}
