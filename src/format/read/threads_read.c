/* Reads HotSpot's thread dumps, as jstack, `jcmd PID Thread.print` and SIGQUIT print them. A file may contain several dumps, and other
 * lines between them, as in a program's log:
 *
 *     Full thread dump OpenJDK 64-Bit Server VM (21.0.5+11-LTS mixed mode, sharing):
 *
 *     "main" #1 [4712] prio=5 os_prio=0 cpu=29.60ms elapsed=1.20s tid=0x00007f2a nid=4712 waiting on condition  [0x00007f2b]
 *        java.lang.Thread.State: TIMED_WAITING (sleeping)
 *        at java.lang.Thread.sleep0(java.base@21.0.5/Native Method)
 *        at demo.Main.run(Main.java:12)
 *        - locked <0x000000062b6d8a28> (a java.lang.Object)
 *
 * Each thread of each dump is a sample with its state. The JVM's own threads have no frames in a dump, and are left out. The stacks that
 * the report of a deadlock repeats are left out, too. */
#include "format/import.h"
#include "format/read/lines.h"

#include <errno.h>
#include <string.h>

static const char dump_begins[] = "Full thread dump ";

struct reader {
    struct profile *p;
    struct import_stack stack;
    struct profile_sample sample;
    struct span name;
    uint64_t id;
    bool is_open;  /* the thread's stack is being read */
    bool is_taken; /* the thread also has a state */
    uint64_t dumps, refused;
};

static uint8_t state_of(struct span text)
{
    static const struct {
        const char *word;
        uint8_t state;
    } states[] = {{"RUNNABLE", JFR_STATE_JAVA},
                  {"BLOCKED", JFR_STATE_MONITOR},
                  {"WAITING (parking)", JFR_STATE_PARKED},
                  {"TIMED_WAITING (parking)", JFR_STATE_PARKED},
                  {"TIMED_WAITING (sleeping)", JFR_STATE_SLEEPING},
                  {"WAITING", JFR_STATE_WAITING},
                  {"TIMED_WAITING", JFR_STATE_WAITING}};
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (lines_start(text, states[i].word))
            return states[i].state;
    return JFR_STATE_UNKNOWN;
}

static int finish(struct reader *r)
{
    bool truncated, is_sample = r->is_open && r->is_taken && r->stack.count;
    r->is_open = false;
    uint32_t name;
    int rc = import_stack_take(&r->stack, r->p, true, &r->sample.stack, &truncated);
    if (rc || !is_sample)
        return rc;
    rc = profile_string(r->p, r->name.bytes, r->name.len, &name);
    rc = rc ? rc : profile_thread(r->p, name, r->id, 0, &r->sample.thread);
    return rc ? rc : import_sample(r->p, &r->sample, truncated, &r->refused);
}

/* Returns the native id, which is hexadecimal up to JDK 20, and decimal since JDK 21. 0 = there is none. */
static uint64_t native_id(struct span rest)
{
    const char *at = lines_find(rest, " nid=");
    struct span number = at ? lines_from(rest, (size_t)(at - rest.bytes) + 5) : (struct span){rest.bytes, 0};
    uint64_t id = 0;
    bool found = lines_start(number, "0x") ? lines_take_hex(&number, &id) : lines_take_number(&number, &id);
    return found ? id : 0;
}

/* Begins a thread. Its name may contain quotes, but the text after the name has none. A line without an address ("tid=") is part of the
 * report of a deadlock. */
static int begin_thread(struct reader *r, struct span line)
{
    int rc = finish(r);
    const char *quote = memrchr(line.bytes, '"', line.len);
    size_t end = (size_t)(quote - line.bytes);
    struct span rest = lines_from(line, end);
    if (rc || !end || !lines_find(rest, " tid="))
        return rc;
    r->is_open = true;
    r->is_taken = false;
    r->sample = (struct profile_sample){.weight = 1, .count = 1};
    r->name = (struct span){line.bytes + 1, end - 1};
    r->id = native_id(rest);
    return 0;
}

/* Returns the number after the last ':' in "java.base@21/Thread.java:842)". */
static int32_t line_number(struct span place)
{
    uint64_t number = 0;
    const char *colon = place.len ? memrchr(place.bytes, ':', place.len) : NULL;
    struct span digits = colon ? lines_from(place, (size_t)(colon - place.bytes) + 1) : (struct span){place.bytes, 0};
    return lines_take_number(&digits, &number) && number < INT32_MAX ? (int32_t)number : 0;
}

static int take_frame(struct reader *r, struct span text)
{
    uint32_t frame;
    const char *bracket = text.len ? memchr(text.bytes, '(', text.len) : NULL;
    size_t n = bracket ? (size_t)(bracket - text.bytes) : text.len;
    if (!n)
        return 0;
    int rc = import_frame(r->p, text.bytes, n, line_number(lines_from(text, n)), PROFILE_TYPE_OTHER, &frame);
    return rc ? rc : import_stack_add(&r->stack, frame);
}

static int take_line(struct reader *r, struct span line)
{
    static const char state[] = "java.lang.Thread.State: ", at[] = "at ";
    struct span text = lines_trim(line);
    if (lines_start(line, "\""))
        return begin_thread(r, line);
    if (lines_start(text, dump_begins)) {
        r->dumps++;
        return finish(r);
    }
    if (!text.len)
        return finish(r);
    if (r->is_open && lines_start(text, state)) {
        r->is_taken = true;
        r->sample.state = state_of(lines_from(text, sizeof state - 1));
    }
    return r->is_open && lines_start(text, at) ? take_frame(r, lines_from(text, sizeof at - 1)) : 0;
}

int threads_read(struct profile *p, const struct import *in)
{
    struct reader r = {.p = p};
    struct span text = {(const char *)in->bytes, in->size}, line;
    uint64_t scale;
    if (in->value)
        return import_bad(in, "a thread dump has only one value; leave --value out");
    int rc = import_unit(p, "wall", "samples", &scale);
    while (!rc && lines_next(&text, &line))
        rc = take_line(&r, line);
    rc = rc ? rc : finish(&r);
    if (!rc && !p->sample_count)
        rc = import_bad(in, "not a thread dump: no thread has a state and a stack; 'jstack PID' or 'jcmd PID Thread.print' writes one");
    if (!rc)
        rc = profile_add_problem(p, "info",
                                 "Samples are threads in %llu thread dumps, running or not. A dump is taken at a safepoint, so it shows "
                                 "only lines with a safepoint; record with -e wall to see all lines.",
                                 (unsigned long long)r.dumps);
    import_stack_deinit(&r.stack);
    return rc ? rc : import_refused(p, r.refused);
}

bool threads_is(const uint8_t *bytes, size_t size)
{
    struct span text = {(const char *)bytes, size}, line;
    while (lines_next(&text, &line))
        if (lines_start(line, dump_begins))
            return true;
    return false;
}
