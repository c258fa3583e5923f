#include "profile/load_events.h"

#include "base/array.h"
#include "base/units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct jfr_value value(struct jfr_event *event, const char *field)
{
    return jfr_event_value(event, jfr_type_field(event->type, field));
}

static int64_t number(struct jfr_event *event, const char *field)
{
    return jfr_value_int(value(event, field));
}

static int text(struct load *l, struct jfr_event *event, const char *field, uint32_t *string)
{
    return load_text(l->profile, jfr_value_text(value(event, field)), string);
}

/* A value in nanoseconds, whatever span the field is declared to be in. */
static uint64_t span_ns(struct jfr_event *event, const char *field)
{
    const struct jfr_field *f = jfr_type_field(event->type, field);
    int64_t v = jfr_value_int(jfr_event_value(event, f));
    if (f && f->unit == JFR_UNIT_SPAN_TICKS)
        v = jfr_chunk_ticks_to_ns(event->chunk, v);
    return v > 0 ? (uint64_t)v : 0;
}

static const struct jfr_field *thread_field(const struct jfr_type *type)
{
    const struct jfr_field *f = jfr_type_field(type, "sampledThread");
    return f ? f : jfr_type_field(type, "eventThread");
}

/* ---- samples ---- */

/* True when samples of this rank count; the first of a better rank drives out what there was. */
static bool rank_counts(struct load *l, enum load_rank rank, const char *source)
{
    struct profile *p = l->profile;
    /* Only the event safepoint shows threads that wait. */
    if (rank < l->rank || (p->kind == PROFILE_WAITING && rank != LOAD_SAFEPOINT))
        return false;
    if (rank > l->rank) {
        l->rank = rank;
        p->sample_count = 0;
        p->weight = 0;
        p->source = strtab_add_text(&p->strings, source);
    }
    return true;
}

static int add_sample(struct load *l, struct jfr_event *event, uint64_t weight, const char *failed)
{
    struct profile *p = l->profile;
    struct profile_sample s = {.time_ns = jfr_event_epoch_ns(event), .weight = weight};
    bool truncated;
    int rc = load_stack(&l->stacks, event, jfr_type_field(event->type, "stackTrace"), &s.stack, &truncated);
    if (!rc && !s.stack)
        rc = load_no_stack(&l->stacks, failed, &s.stack);
    else
        failed = truncated ? "truncated" : "complete";
    if (!rc)
        rc = load_thread(&l->stacks, event, thread_field(event->type), &s.thread);
    if (!rc)
        rc = load_state(&l->stacks, event, jfr_type_field(event->type, "state"), &s.state);
    if (!rc)
        rc = text(l, event, "outcome", &s.outcome);
    if (!rc && !s.outcome)
        rc = profile_string(p, failed, strlen(failed), &s.outcome);
    if (!rc)
        rc = profile_add_sample(p, &s);
    if (rc != -ERANGE)
        return rc;
    l->refused++;
    return 0;
}

static int on_candor_sample(struct load *l, struct jfr_event *event)
{
    l->profile->cpu_samples++;
    if (!rank_counts(l, LOAD_CANDOR, "candor.CpuSample"))
        return 0;
    return add_sample(l, event, span_ns(event, "weight"), "no stack");
}

static int on_safepoint_sample(struct load *l, struct jfr_event *event)
{
    uint8_t state;
    l->profile->safepoint_samples++;
    if (!rank_counts(l, LOAD_SAFEPOINT, "candor.SafepointSample"))
        return 0;
    if (load_state(&l->stacks, event, jfr_type_field(event->type, "state"), &state))
        return -ENOMEM;
    bool wanted = l->profile->kind == PROFILE_WAITING ? jfr_state_waits(state) : jfr_state_runs(state);
    return wanted ? add_sample(l, event, span_ns(event, "weight"), "no stack") : 0;
}

static int on_cpu_time_sample(struct load *l, struct jfr_event *event)
{
    uint64_t weight = span_ns(event, "samplingPeriod");
    if (!rank_counts(l, LOAD_CPU_TIME, "jdk.CPUTimeSample"))
        return 0;
    if (weight && (!l->cpu_time_period || weight < l->cpu_time_period))
        l->cpu_time_period = weight;
    return add_sample(l, event, weight, "no stack");
}

static int on_execution_sample(struct load *l, struct jfr_event *event)
{
    l->profile->execution_samples++;
    if (!rank_counts(l, LOAD_EXECUTION, "jdk.ExecutionSample"))
        return 0;
    return add_sample(l, event, 1, "no stack");
}

static int on_native_sample(struct load *l, struct jfr_event *event)
{
    l->native_samples++;
    return 0;
}

static int on_samples_lost(struct load *l, struct jfr_event *event)
{
    int64_t lost = number(event, "lostSamples");
    l->lost_samples += lost > 0 ? (uint64_t)lost : 0;
    return 0;
}

/* ---- what the recorder says about itself ---- */

static int on_book_line(struct load *l, struct jfr_event *event)
{
    struct profile *p = l->profile;
    struct profile_book line = {.ns = number(event, "time"), .count = (uint64_t)number(event, "count")};
    if (text(l, event, "account", &line.account) || text(l, event, "reason", &line.reason))
        return -ENOMEM;
    bool cpu = !strcmp(profile_text(p, line.account), "cpu");
    const struct profile_book *before = cpu ? profile_book(p, "cpu", "") : NULL;
    if (before && line.ns < before->ns &&
        profile_add_problem(p, "warning", "the books begin anew inside the file: they are those of its last recording"))
        return -ENOMEM;
    return profile_set_book(p, &line);
}

/* Cumulative for each thread of the agent, whose number is the pool's key in all chunks: the kernel may give id and name
 * of an ended thread to a new one, and both have used CPU. */
static int on_thread_cpu(struct load *l, struct jfr_event *event)
{
    const struct jfr_field *f = thread_field(event->type);
    uint64_t key = jfr_event_key(event, f), cpu = span_ns(event, "cpu");
    uint32_t id;
    bool added;
    int rc = load_thread(&l->stacks, event, f, &id);
    if (rc || ARRAY_GROW(l->cpus, l->cpu_cap, l->cpu_count))
        return -ENOMEM;
    uint32_t *place = map_add(&l->cpu_places, hash_mix(key) ^ id, &added);
    if (!place)
        return -ENOMEM;
    if (added) {
        l->cpus[l->cpu_count] = 0;
        *place = l->cpu_count++;
    }
    struct profile_thread *t = &l->profile->threads[id];
    t->cpu_ns += cpu - l->cpus[*place];
    t->cpu_known = true;
    l->cpus[*place] = cpu;
    return 0;
}

static int on_setting(struct load *l, struct jfr_event *event)
{
    uint32_t name, what;
    if (text(l, event, "name", &name) || text(l, event, "value", &what))
        return -ENOMEM;
    return profile_set_setting(l->profile, name, what);
}

static int on_log(struct load *l, struct jfr_event *event)
{
    struct jfr_text level = jfr_value_text(value(event, "level"));
    struct jfr_text message = jfr_value_text(value(event, "message"));
    const char *word = load_text_is(level, "info") ? "info" : load_text_is(level, "error") ? "error" : "warning";
    int len = message.len < 1000 ? (int)message.len : 1000;
    return profile_add_problem(l->profile, word, "%.*s", len, message.bytes);
}

static int on_jvm(struct load *l, struct jfr_event *event)
{
    struct profile *p = l->profile;
    int64_t pid = number(event, "pid");
    p->pid = pid > 0 ? (uint64_t)pid : 0;
    if (text(l, event, "jvmVersion", &p->jvm_version))
        return -ENOMEM;
    return text(l, event, "javaArguments", &p->command);
}

/* ---- settings of the JDK's and async-profiler's samplers ---- */

/* "20 ms", and async-profiler's bare nanoseconds; 0 for what is no duration ("500/s", "everyChunk"). */
static uint64_t parse_period(struct jfr_text written)
{
    char plain[32];
    size_t n = 0;
    for (size_t i = 0; i < written.len && n < sizeof plain - 3; i++)
        if (written.bytes[i] != ' ')
            plain[n++] = written.bytes[i];
    plain[n] = 0;
    if (n && strspn(plain, "0123456789") == n)
        memcpy(plain + n, "ns", 3);
    uint64_t ns;
    return units_parse_duration(plain, &ns) ? 0 : ns;
}

static int on_active_setting(struct load *l, struct jfr_event *event)
{
    uint64_t id = (uint64_t)number(event, "id");
    struct jfr_text name = jfr_value_text(value(event, "name"));
    bool about_period =
        load_text_is(name, "period") || load_text_is(name, "interval") || load_text_is(name, "throttle");
    uint64_t *period = !id                       ? NULL
                       : id == l->execution_type ? &l->execution_period
                       : id == l->cpu_time_type  ? &l->cpu_time_period
                                                 : NULL;
    uint64_t ns = about_period && period ? parse_period(jfr_value_text(value(event, "value"))) : 0;
    if (!ns)
        return 0;
    if (period == &l->execution_period && *period && *period != ns &&
        profile_add_problem(l->profile, "warning", "the sampling period changed while recording; the last one is used"))
        return -ENOMEM;
    *period = ns;
    return 0;
}

/* ---- the walk ---- */

static const struct {
    const char *type;
    int (*handler)(struct load *l, struct jfr_event *event);
} handlers[] = {
    {"candor.CpuSample", on_candor_sample},
    {"candor.SafepointSample", on_safepoint_sample},
    {"candor.BookLine", on_book_line},
    {"candor.ThreadCpu", on_thread_cpu},
    {"candor.Setting", on_setting},
    {"candor.Log", on_log},
    {"jdk.CPUTimeSample", on_cpu_time_sample},
    {"jdk.CPUTimeSamplesLost", on_samples_lost},
    {"jdk.ExecutionSample", on_execution_sample},
    {"jdk.NativeMethodSample", on_native_sample},
    {"jdk.ActiveSetting", on_active_setting},
    {"jdk.JVMInformation", on_jvm},
};

int load_new(struct load **out, struct profile *p)
{
    struct load *l = *out = calloc(1, sizeof *l);
    if (!l)
        return -ENOMEM;
    l->profile = p;
    return load_stacks_init(&l->stacks, p);
}

void load_free(struct load *l)
{
    if (!l)
        return;
    load_stacks_deinit(&l->stacks);
    map_deinit(&l->cpu_places);
    free(l->cpus);
    free(l->handlers);
    free(l);
}

static uint64_t type_id(struct jfr_chunk *chunk, const char *name)
{
    const struct jfr_type *type = jfr_chunk_type(chunk, name);
    return type ? type->id : 0;
}

int load_begin_chunk(struct load *l, struct jfr_chunk *chunk)
{
    uint32_t types;
    jfr_chunk_types(chunk, &types);
    free(l->handlers);
    l->handlers = calloc(types ? types : 1, sizeof *l->handlers);
    if (!l->handlers)
        return -ENOMEM;
    for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++) {
        const struct jfr_type *type = jfr_chunk_type(chunk, handlers[i].type);
        if (type)
            l->handlers[type->index] = handlers[i].handler;
    }
    l->execution_type = type_id(chunk, "jdk.ExecutionSample");
    l->cpu_time_type = type_id(chunk, "jdk.CPUTimeSample");
    load_stacks_new_chunk(&l->stacks);
    return 0;
}

int load_event(struct load *l, struct jfr_event *event)
{
    int (*handler)(struct load *, struct jfr_event *) = l->handlers[event->type->index];
    return handler ? handler(l, event) : 0;
}
