/* Reads the text that `perf script` prints from a perf.data file. For each sample it has a head, its frames with the innermost first, and
 * an empty line:
 *
 *     COMM PID/TID [CPU] SECONDS: PERIOD EVENT:
 *             7f722d119786 Ljava/io/FileOutputStream;::writeBytes+0x46 (/tmp/perf-19982.map)
 *
 * All but COMM, TID and EVENT may be missing, and a frame may be on the line of the head. Weights are the periods of one event:
 * nanoseconds for clocks, else events. Without periods they count samples. Java's frames have the forms of perf-map-agent, of `jcmd
 * Compiler.perfmap` and of `perf inject --jit`. */
#include "format/import.h"

#include "format/read/perf_frame.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS_NAMED = 16 };

struct reader {
    struct profile *p;
    const struct import *in;
    struct import_stack stack;
    struct profile_sample sample;
    struct span event;                /* the event that is read */
    struct span others[EVENTS_NAMED]; /* events that are not read, each once */
    uint32_t other_count;
    bool chosen, has_period, pids_differ, periods_differ;
    bool open;  /* the next frames belong to a sample */
    bool taken; /* that sample is of the event that is read */
    int64_t first_ns, last_ns;
    uint64_t refused, left_out, of_others;
};

static bool same(struct span a, struct span b)
{
    return a.len == b.len && !memcmp(a.bytes, b.bytes, a.len);
}

/* Whether the event counts nanoseconds. */
static bool is_clock(struct span event)
{
    static const char *const clocks[] = {"cpu-clock", "task-clock"};
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        size_t n = strlen(clocks[i]);
        if (event.len >= n && !memcmp(event.bytes, clocks[i], n) && (event.len == n || event.bytes[n] == ':'))
            return true;
    }
    return false;
}

static int choose(struct reader *r, const struct perf_head *h)
{
    uint64_t scale;
    char *name = strndup(h->event.bytes, h->event.len);
    r->event = h->event;
    r->chosen = true;
    r->has_period = h->has_period;
    int rc = name ? import_unit(r->p, name, !h->has_period ? "samples" : is_clock(h->event) ? "nanoseconds" : "events", &scale) : -ENOMEM;
    if (is_clock(h->event) && h->has_period)
        r->p->interval_ns = h->period;
    free(name);
    return rc;
}

/* Whether a sample is of the event that is read. This is the event that --value names, else that of the first sample. */
static bool is_ours(struct reader *r, const struct perf_head *h, int *rc)
{
    const char *value = r->in->value;
    if (!r->chosen && (!value || same(h->event, (struct span){value, strlen(value)})))
        *rc = choose(r, h);
    if (r->chosen && same(h->event, r->event))
        return true;
    uint32_t i = 0;
    while (i < r->other_count && !same(r->others[i], h->event))
        i++;
    if (i == r->other_count && i < EVENTS_NAMED)
        r->others[r->other_count++] = h->event;
    r->of_others++;
    return false;
}

static int finish(struct reader *r)
{
    bool truncated;
    if (!r->open || !r->taken) {
        r->open = false;
        return 0;
    }
    r->open = false;
    int rc = import_stack_take(&r->stack, r->p, true, &r->sample.stack, &truncated);
    if (!rc && !r->sample.stack)
        rc = import_no_stack(r->p, &r->sample.stack);
    return rc ? rc : import_sample(r->p, &r->sample, truncated, &r->refused);
}

static void note_process(struct reader *r, const struct perf_head *h)
{
    r->pids_differ |= r->p->sample_count && r->p->pid != h->pid;
    r->p->pid = h->pid;
    if (!h->time_ns)
        return;
    r->first_ns = r->first_ns && r->first_ns <= (int64_t)h->time_ns ? r->first_ns : (int64_t)h->time_ns;
    r->last_ns = r->last_ns > (int64_t)h->time_ns ? r->last_ns : (int64_t)h->time_ns;
}

static int begin(struct reader *r, const struct perf_head *h)
{
    struct perf_frame frame;
    uint32_t name;
    int rc = finish(r);
    r->open = true;
    r->taken = !rc && is_ours(r, h, &rc);
    if (rc || !r->taken)
        return rc;
    note_process(r, h);
    if (h->has_period != r->has_period) {
        r->taken = false;
        r->left_out++;
        return 0;
    }
    r->periods_differ |= h->has_period && r->p->interval_ns && h->period != r->p->interval_ns;
    r->sample = (struct profile_sample){.weight = h->has_period ? h->period : 1, .count = 1, .time_ns = (int64_t)h->time_ns};
    if (profile_string(r->p, h->comm.bytes, h->comm.len, &name) || profile_thread(r->p, name, h->tid, 0, &r->sample.thread))
        return -ENOMEM;
    if (!perf_line_frame(h->rest, &frame))
        return 0;
    rc = perf_frame_add(r->p, &frame, &r->stack);
    return rc ? rc : finish(r);
}

enum line { LINE_IS_OTHER, LINE_IS_HEAD, LINE_IS_FRAME };

/* Determines the kind of a line. Below a head, a frame is more likely than a head. But commands such as dd and cc1 look like addresses,
 * so a line with a time is always a head. */
static enum line line_of(struct span line, bool is_below, struct perf_head *head, struct perf_frame *frame)
{
    bool is_head = perf_line_head(line, head);
    if (is_below && !(is_head && head->time_ns) && perf_line_frame(line, frame))
        return LINE_IS_FRAME;
    return is_head ? LINE_IS_HEAD : LINE_IS_OTHER;
}

/* Reads a comment. Those of `perf script --header` describe the machine. */
static int take_comment(struct reader *r, struct span comment)
{
    static const char host[] = "# hostname : ";
    enum { HOST_AT = sizeof host - 1 };
    bool names_host = comment.len > HOST_AT && !memcmp(comment.bytes, host, HOST_AT);
    return names_host ? profile_set_host(r->p, comment.bytes + HOST_AT, comment.len - HOST_AT) : 0;
}

/* Reads one line. Lines of source code, which have no address, may follow a frame. */
static int take_line(struct reader *r, struct span line)
{
    struct perf_head head;
    struct perf_frame frame;
    struct span plain = lines_trim(line);
    if (!plain.len)
        return finish(r);
    if (*line.bytes == '#')
        return take_comment(r, plain);
    enum line what = line_of(plain, r->open, &head, &frame);
    if (what == LINE_IS_FRAME)
        return r->taken ? perf_frame_add(r->p, &frame, &r->stack) : 0;
    if (what == LINE_IS_HEAD)
        return begin(r, &head);
    r->left_out += !r->open;
    return 0;
}

static int name_others(struct reader *r)
{
    char names[400] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < r->other_count && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%.*s", i ? ", " : "",
                                 (int)(r->others[i].len < 60 ? r->others[i].len : 60), r->others[i].bytes);
    if (!r->chosen && r->in->value)
        return import_bad(r->in, "no samples of an event '%.60s'; the file has %s", r->in->value, used ? names : "none at all");
    if (!r->chosen)
        return import_bad(r->in, "no samples: this is not the output of 'perf script', or its recording has no samples");
    if (!used)
        return 0;
    return profile_add_problem(r->p, "info",
                               "The weights are of the event %.*s. %llu samples of %s are not used; "
                               "choose an event with --value",
                               (int)(r->event.len < 60 ? r->event.len : 60), r->event.bytes, (unsigned long long)r->of_others, names);
}

static int end(struct reader *r)
{
    struct profile *p = r->p;
    int rc = finish(r);
    rc = rc ? rc : name_others(r);
    if (!rc && r->left_out)
        rc = profile_add_problem(p, "warning", "%llu lines left out: unknown lines, or samples without a period",
                                 (unsigned long long)r->left_out);
    if (r->pids_differ)
        p->pid = 0;
    if (r->periods_differ)
        p->interval_ns = 0;
    p->start_ns = r->first_ns;
    p->duration_ns = (uint64_t)(r->last_ns - r->first_ns);
    return rc ? rc : import_refused(p, r->refused);
}

int perf_read(struct profile *p, const struct import *in)
{
    struct reader r = {.p = p, .in = in};
    struct span text = {(const char *)in->bytes, in->size}, line;
    int rc = 0;
    while (!rc && lines_next(&text, &line))
        rc = take_line(&r, line);
    rc = rc ? rc : end(&r);
    import_stack_deinit(&r.stack);
    return rc;
}

/* Whether the text is from `perf script`: there are heads, and one of them has a frame on its line or below it. Samples may have no
 * frame, so the first head is not decisive. */
bool perf_is(const uint8_t *bytes, size_t size)
{
    struct span text = {(const char *)bytes, size}, line;
    struct perf_head head;
    struct perf_frame frame;
    for (bool is_below = false; lines_next(&text, &line);) {
        if (!lines_trim(line).len || *line.bytes == '#')
            continue;
        enum line what = line_of(line, is_below, &head, &frame);
        if (what != LINE_IS_HEAD || perf_line_frame(head.rest, &frame))
            return what != LINE_IS_OTHER;
        is_below = true;
    }
    return false;
}
