#include "profile/load/load_events.h"

#include "base/text/units.h"
#include "base/time_units.h"
#include "jfr/read/once.h"
#include "profile/allocated.h"
#include "profile/load/load_holders.h"
#include "profile/load/load_text.h"
#include "profile/locks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_MAX = 1000, WALL_DEFAULT_NS = 50 * NS_PER_MS };

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

/* Returns a field's value in nanoseconds, whatever unit of time the field declares. */
static uint64_t span_ns(struct jfr_event *event, const struct jfr_field *f)
{
    int64_t v = jfr_event_int(event, f);
    if (f && f->unit == JFR_UNIT_SPAN_TICKS)
        v = jfr_chunk_ticks_to_ns(event->chunk, v);
    return v > 0 ? (uint64_t)v : 0;
}

static const struct jfr_field *either_field(const struct jfr_type *type, const char *name, const char *other)
{
    const struct jfr_field *f = jfr_type_field(type, name);
    return f ? f : jfr_type_field(type, other);
}

static const struct jfr_field *thread_field(const struct jfr_type *type)
{
    return either_field(type, "sampledThread", "eventThread");
}

/* ---- samples ---- */

/* Whether a field is a label. A tracer adds fields to a sampler's events that describe the thread's context. They are texts, and numbers
 * without a unit. */
static bool is_label(const struct jfr_field *f)
{
    static const char *const known[] = {"startTime", "duration",    "outcome",       "state",          "evidence", "mode",
                                        "weight",    "collections", "arrayElements", "path",           "samples",  "timeSpan",
                                        "window",    "chance",      "tlabSize",      "allocationSize", "size",     "address"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(f->name, known[i]))
            return false;
    bool number = f->type->kind == JFR_KIND_INT || f->type->kind == JFR_KIND_LONG;
    bool text = f->type->kind == JFR_KIND_STRING || (f->type->field_count == 1 && f->type->fields[0].type->kind == JFR_KIND_STRING);
    return !f->array && f->unit == JFR_UNIT_NONE && (number || text);
}

/* Returns the fields of a type of samples. A name is looked up once in a chunk, because the samples of several types alternate. */
static const struct load_fields *sample_fields(struct load *l, const struct jfr_type *type)
{
    struct load_fields *fields = &l->fields[type->index % LOAD_FIELDS_KEPT];
    if (fields->type == type)
        return fields;
    *fields = (struct load_fields){.type = type,
                                   .stack = jfr_type_field(type, "stackTrace"),
                                   .thread = thread_field(type),
                                   .state = jfr_type_field(type, "state"),
                                   .outcome = jfr_type_field(type, "outcome"),
                                   .weight = either_field(type, "weight", "samplingPeriod"),
                                   .object_class = jfr_type_field(type, "objectClass"),
                                   .object = jfr_type_field(type, "object"),
                                   .window = jfr_type_field(type, "window"),
                                   .chance = jfr_type_field(type, "chance"),
                                   .same_wait = jfr_type_field(type, "sameWait"),
                                   .lock_class = either_field(type, "monitorClass", "parkedClass"),
                                   .owner = either_field(type, "previousOwner", "owner"),
                                   .address = jfr_type_field(type, "address"),
                                   .finished = jfr_type_field(type, "finished"),
                                   .timeout = jfr_type_field(type, "timeout"),
                                   .until = jfr_type_field(type, "until"),
                                   .context = load_context_field(type, "context"),
                                   .owner_context = load_context_field(type, "ownerContext")};
    for (uint32_t i = 0; i < type->field_count && fields->label_count < LOAD_LABELS_MAX; i++)
        if (&type->fields[i] != fields->context && &type->fields[i] != fields->owner_context && is_label(&type->fields[i]))
            fields->labels[fields->label_count++] = &type->fields[i];
    return fields;
}

/* Adds a field as a label. The value 0 means no value, because threads without a context have it. */
static int add_label(struct load *l, struct jfr_event *event, const struct jfr_field *f, uint32_t *labels)
{
    char digits[32];
    struct jfr_value v = jfr_event_value(event, f);
    struct jfr_text text = jfr_value_text(v);
    struct profile_label label = {.parent = *labels, .number = f->type->kind == JFR_KIND_INT || f->type->kind == JFR_KIND_LONG};
    if (label.number && jfr_value_int(v))
        text = (struct jfr_text){digits, (size_t)snprintf(digits, sizeof digits, "%" PRId64, jfr_value_int(v))};
    if (!text.len)
        return 0;
    if (profile_string(l->profile, f->name, strlen(f->name), &label.key) || load_text(l->profile, text, &label.value))
        return -ENOMEM;
    return profile_label(l->profile, &label, labels);
}

static int take_class(void *profile, struct jfr_value class_value, uint32_t *string)
{
    struct jfr_text name = jfr_class_of(class_value);
    return name.len ? allocated_name(profile, name.bytes, name.len, string) : 0;
}

/* Adds the class in the field as a label. All fields with a class refer to the same pool. */
static int add_class(struct load *l, struct jfr_event *event, const struct jfr_field *f, uint32_t *labels)
{
    uint32_t string;
    int rc = jfr_event_once(event, f, &l->classes, take_class, l->profile, &string);
    return rc || !string ? rc : allocated_label(l->profile, string, labels);
}

/* Adds the class of an object as a label. If the event does not name the class, it is taken from the object. */
static int add_object_class(struct load *l, struct jfr_event *event, const struct load_fields *fields, uint32_t *labels)
{
    uint32_t string = 0;
    if (fields->object_class)
        return add_class(l, event, fields->object_class, labels);
    int rc = take_class(l->profile, jfr_value_member(jfr_event_value(event, fields->object), "type"), &string);
    return rc || !string ? rc : allocated_label(l->profile, string, labels);
}

/* The outcomes of samples whose events do not have one. */
static const char *const outcomes[LOAD_OUTCOMES] =
    {[LOAD_NO_STACK] = "no stack", [LOAD_TRUNCATED] = "truncated", [LOAD_COMPLETE] = "complete"};

static int outcome_string(struct load *l, enum load_outcome outcome, uint32_t *string)
{
    uint32_t *known = &l->outcomes[outcome];
    int rc = *known ? 0 : profile_string(l->profile, outcomes[outcome], strlen(outcomes[outcome]), known);
    *string = *known;
    return rc;
}

/* Reads an event's outcome. Usually the sample before had the same one. */
static int read_outcome(struct load *l, struct jfr_text outcome, uint32_t *string)
{
    int rc = jfr_text_is(outcome, profile_text(l->profile, l->last_outcome)) ? 0 : load_text(l->profile, outcome, &l->last_outcome);
    *string = l->last_outcome;
    return rc;
}

/* Returns the chance of a window, in percent; 0 = the file does not say it, or says nonsense. */
static uint8_t chance_of(int64_t percent)
{
    return percent > 0 && percent <= 100 ? (uint8_t)percent : 0;
}

/* Reads a sample without its labels. */
static int read_sample(struct load *l, struct jfr_event *event, uint64_t weight, struct profile_sample *s)
{
    const struct load_fields *fields = sample_fields(l, event->type);
    enum load_outcome outcome = LOAD_NO_STACK;
    bool truncated = false;
    *s = (struct profile_sample){.time_ns = jfr_event_epoch_ns(event), .weight = weight};
    s->window = fields->window ? (uint32_t)jfr_event_int(event, fields->window) : 0;
    s->chance = s->window && fields->chance ? chance_of(jfr_event_int(event, fields->chance)) : 0;
    if (fields->same_wait)
        s->wait = jfr_event_int(event, fields->same_wait) ? PROFILE_WAIT_SAME : PROFILE_WAIT_NEW;
    int rc = load_stack(l->stacks, event, fields->stack, &s->stack, &truncated);
    if (!rc && !s->stack)
        rc = load_no_stack(l->stacks, outcomes[LOAD_NO_STACK], &s->stack);
    else
        outcome = truncated ? LOAD_TRUNCATED : LOAD_COMPLETE;
    if (!rc)
        rc = load_thread(&l->threads, event, fields->thread, &s->thread);
    if (!rc)
        rc = load_state(&l->threads, event, fields->state, &s->state);
    if (!rc && fields->outcome)
        rc = read_outcome(l, jfr_value_text(jfr_event_value(event, fields->outcome)), &s->outcome);
    if (!rc && !s->outcome)
        rc = outcome_string(l, outcome, &s->outcome);
    return rc;
}

static int read_labelled(struct load *l, struct jfr_event *event, uint64_t weight, struct profile_sample *s)
{
    const struct load_fields *fields = sample_fields(l, event->type);
    int rc = read_sample(l, event, weight, s);
    if (!rc) /* first, because it begins a new set of labels */
        rc = load_context(&l->contexts, event, fields->context, &s->labels);
    for (uint32_t i = 0; !rc && i < fields->label_count; i++)
        rc = add_label(l, event, fields->labels[i], &s->labels);
    if (!rc && (fields->object_class || fields->object))
        rc = add_object_class(l, event, fields, &s->labels);
    return rc;
}

static int add_sample(struct load *l, struct jfr_event *event, uint64_t weight)
{
    struct profile_sample s;
    int rc = read_labelled(l, event, weight, &s);
    return rc ? rc : load_part_sample(l->part, &s);
}

static int on_candor_sample(struct load *l, struct jfr_event *event)
{
    l->part->cpu_samples++;
    return l->part->rank == LOAD_CANDOR ? add_sample(l, event, span_ns(event, sample_fields(l, event->type)->weight)) : 0;
}

static int on_event_sample(struct load *l, struct jfr_event *event)
{
    if (l->part->rank != LOAD_EVENT)
        return 0;
    int64_t weight = jfr_value_int(jfr_event_value(event, sample_fields(l, event->type)->weight));
    return add_sample(l, event, weight > 0 ? (uint64_t)weight : 0);
}

static int on_safepoint_sample(struct load *l, struct jfr_event *event)
{
    uint8_t state;
    l->part->safepoint_samples++;
    if (l->part->rank != LOAD_SAFEPOINT)
        return 0;
    if (load_state(&l->threads, event, jfr_type_field(event->type, "state"), &state))
        return -ENOMEM;
    bool wanted = l->profile->kind == PROFILE_WAITING ? jfr_state_waits(state) : jfr_state_runs(state);
    return wanted ? add_sample(l, event, span_ns(event, sample_fields(l, event->type)->weight)) : 0;
}

static uint64_t count_of(struct jfr_event *event, const char *field)
{
    int64_t n = number(event, field);
    return n > 0 ? (uint64_t)n : 0;
}

/* Reads an allocation in a new TLAB, or outside. A new TLAB weighs its whole size, for all objects that it will contain. */
static int on_tlab(struct load *l, struct jfr_event *event)
{
    uint64_t buffer = count_of(event, "tlabSize");
    l->part->allocation_samples++;
    return l->part->rank == LOAD_TLAB ? add_sample(l, event, buffer ? buffer : count_of(event, "allocationSize")) : 0;
}

static int on_malloc(struct load *l, struct jfr_event *event)
{
    struct load_block block = {.address = (uint64_t)number(event, "address")};
    if (l->part->rank != LOAD_MALLOC)
        return 0;
    int rc = read_labelled(l, event, count_of(event, "size"), &block.sample);
    if (rc || l->profile->kind == PROFILE_NATIVEMEM)
        return rc ? rc : load_part_sample(l->part, &block.sample);
    return load_part_block(l->part, &block);
}

static int on_free(struct load *l, struct jfr_event *event)
{
    struct load_block block = {.address = (uint64_t)number(event, "address"), .is_free = true};
    block.sample.time_ns = jfr_event_epoch_ns(event);
    return l->profile->kind == PROFILE_NATIVELEAK ? load_part_block(l->part, &block) : 0;
}

static int on_allocation_sample(struct load *l, struct jfr_event *event)
{
    l->part->allocation_samples++;
    if (l->part->rank != LOAD_ALLOCATION)
        return 0;
    int64_t weight = jfr_value_int(jfr_event_value(event, sample_fields(l, event->type)->weight));
    return add_sample(l, event, weight > 0 ? (uint64_t)weight : 0);
}

/* Adds an object, with the sample of its allocation. The weight of an object from the JDK's recorder is the object's own size. */
static int add_object(struct load *l, struct jfr_event *event, bool is_alive)
{
    const struct jfr_field *born = jfr_type_field(event->type, "allocationTime");
    int64_t weight = number(event, "weight"), born_ns;
    uint64_t size = count_of(event, jfr_type_field(event->type, "objectSize") ? "objectSize" : "allocationSize");
    struct profile_object o = {.told_ns = jfr_event_epoch_ns(event), .size = size, .is_alive = is_alive};
    int rc = read_labelled(l, event, weight > 0 ? (uint64_t)weight : o.size, &o.sample);
    if (!rc && is_alive)
        rc = load_holders(l->profile, event, l->holders_read, &o.sample.labels);
    o.sample.count = 1;
    if (born && jfr_moment_ns(event->chunk, born->unit, jfr_value_int(jfr_event_value(event, born)), &born_ns))
        o.sample.time_ns = born_ns;
    return rc ? rc : load_part_object(l->part, &o);
}

static int on_old_object(struct load *l, struct jfr_event *event)
{
    return l->part->rank == LOAD_LIVE ? add_object(l, event, true) : 0;
}

/* Reads a live object of async-profiler. All of them describe the same moment: the end of the chunk. */
static int on_live_object(struct load *l, struct jfr_event *event)
{
    const struct jfr_chunk_info *info = &l->part->info;
    if (l->part->rank != LOAD_LIVE_OBJECT || add_object(l, event, true))
        return l->part->rank != LOAD_LIVE_OBJECT ? 0 : -ENOMEM;
    l->part->objects[l->part->object_count - 1].told_ns = info->start_ns + info->duration_ns;
    return 0;
}

static int on_object_end(struct load *l, struct jfr_event *event)
{
    return l->profile->kind == PROFILE_LIVE ? add_object(l, event, false) : 0;
}

static int on_live_set(struct load *l, struct jfr_event *event)
{
    if (l->profile->kind != PROFILE_LIVE)
        return 0;
    return load_part_live_set(l->part, &(struct profile_live_set){.time_ns = jfr_event_epoch_ns(event),
                                                                  .collections = count_of(event, "collections"),
                                                                  .old_collections = count_of(event, "oldCollections"),
                                                                  .old_before = count_of(event, "oldBefore"),
                                                                  .heap_used = count_of(event, "heapUsed"),
                                                                  .objects = count_of(event, "objects"),
                                                                  .bytes = count_of(event, "bytes"),
                                                                  .error = count_of(event, "error")});
}

/* ---- waits for locks ---- */

static int add_text(struct load *l, const char *key, const char *text, bool is_number, uint32_t *labels)
{
    uint32_t value;
    return profile_string(l->profile, text, strlen(text), &value) ? -ENOMEM : locks_add_label(l->profile, key, value, is_number, labels);
}

/* Whether the field says that no time limits the wait. */
static bool is_without_end(struct jfr_event *event, const struct jfr_field *f)
{
    return !f || jfr_value_int(jfr_event_value(event, f)) == INT64_MIN;
}

/* Whether the wait has not ended, and only the lock's owner can end it. Only Candor's events show that. */
static bool is_open(struct jfr_event *event, const struct load_fields *fields)
{
    return fields->finished && !jfr_value_int(jfr_event_value(event, fields->finished)) && is_without_end(event, fields->timeout) &&
           is_without_end(event, fields->until);
}

static int add_owner(struct load *l, struct jfr_event *event, const struct load_fields *fields, uint32_t *labels)
{
    char digits[32];
    uint32_t owner;
    if (!fields->owner || !jfr_event_key(event, fields->owner))
        return 0;
    if (load_thread(&l->threads, event, fields->owner, &owner))
        return -ENOMEM;
    const struct profile_thread *t = &l->profile->threads[owner];
    snprintf(digits, sizeof digits, "%" PRIu64, t->java_id);
    int rc = locks_add_label(l->profile, "owner", t->name, false, labels);
    return !rc && t->java_id && is_open(event, fields) ? add_text(l, "owner_id", digits, true, labels) : rc;
}

static int add_address(struct load *l, struct jfr_event *event, const struct load_fields *fields, uint32_t *labels)
{
    char address[32];
    snprintf(address, sizeof address, "0x%" PRIx64, (uint64_t)jfr_value_int(jfr_event_value(event, fields->address)));
    return add_text(l, "address", address, false, labels);
}

/* Adds a wait. The JDK's events have no weight. Such a wait represents only itself, and its weight is its duration. */
static int add_wait(struct load *l, struct jfr_event *event, enum jfr_thread_state state)
{
    const struct load_fields *fields = sample_fields(l, event->type);
    struct profile_sample s;
    if (l->part->rank != LOAD_LOCK)
        return 0;
    int rc = read_sample(l, event, span_ns(event, fields->weight ? fields->weight : jfr_type_field(event->type, "duration")), &s);
    s.state = (uint8_t)state;
    if (!rc) /* first, because it begins a new set of labels */
        rc = load_context(&l->contexts, event, fields->context, &s.labels);
    if (!rc && fields->lock_class)
        rc = add_class(l, event, fields->lock_class, &s.labels);
    if (!rc && state == JFR_STATE_MONITOR) /* the address of a parker's object changes */
        rc = add_address(l, event, fields, &s.labels);
    rc = rc ? rc : add_owner(l, event, fields, &s.labels);
    rc = rc ? rc : load_context_of_owner(&l->contexts, event, fields->owner_context, &s.labels);
    if (!rc && is_open(event, fields))
        rc = add_text(l, "open", "yes", false, &s.labels);
    return rc ? rc : load_part_sample(l->part, &s);
}

static int on_monitor_enter(struct load *l, struct jfr_event *event)
{
    return add_wait(l, event, JFR_STATE_MONITOR);
}

static int on_thread_park(struct load *l, struct jfr_event *event)
{
    return add_wait(l, event, JFR_STATE_PARKED);
}

static int on_lock_holder(struct load *l, struct jfr_event *event)
{
    const struct jfr_field *class_name = jfr_type_field(event->type, "lockClass");
    struct profile_sample s;
    if (l->part->rank != LOAD_HOLDER)
        return 0;
    const struct load_fields *fields = sample_fields(l, event->type);
    int rc = read_sample(l, event, span_ns(event, fields->weight), &s);
    rc = rc ? rc : load_context(&l->contexts, event, fields->context, &s.labels);
    rc = rc || !class_name ? rc : add_class(l, event, class_name, &s.labels);
    return rc ? rc : load_part_sample(l->part, &s);
}

static int on_wall_sample(struct load *l, struct jfr_event *event)
{
    return l->part->rank == LOAD_WALL ? add_sample(l, event, span_ns(event, sample_fields(l, event->type)->weight)) : 0;
}

/* Reads a wall-clock sample of async-profiler. It represents several samples of a thread whose state did not change. */
static int on_wall_clock(struct load *l, struct jfr_event *event)
{
    struct profile_sample s;
    uint64_t samples = count_of(event, "samples");
    if (l->part->rank != LOAD_WALL_CLOCK)
        return 0;
    int rc = read_labelled(l, event, samples ? samples : 1, &s);
    s.count = samples < UINT32_MAX ? (uint32_t)samples : UINT32_MAX;
    return rc ? rc : load_part_sample(l->part, &s);
}

static int on_cpu_time_sample(struct load *l, struct jfr_event *event)
{
    if (l->part->rank != LOAD_CPU_TIME)
        return 0;
    uint64_t weight = span_ns(event, sample_fields(l, event->type)->weight);
    if (weight && (!l->least_weight || weight < l->least_weight)) {
        l->least_weight = weight;
        if (load_part_note(l->part, (struct load_note){.kind = LOAD_CPU_TIME_WEIGHT, .x = weight}))
            return -ENOMEM;
    }
    return add_sample(l, event, weight);
}

static int on_execution_sample(struct load *l, struct jfr_event *event)
{
    l->part->execution_samples++;
    return l->part->rank == LOAD_EXECUTION ? add_sample(l, event, 1) : 0;
}

/* Reads a sample of Datadog's profiler. It represents `weight` periods. */
static int on_datadog_sample(struct load *l, struct jfr_event *event)
{
    if (l->part->rank != LOAD_DATADOG)
        return 0;
    const struct jfr_field *f = sample_fields(l, event->type)->weight;
    int64_t weight = f ? jfr_value_int(jfr_event_value(event, f)) : 1;
    return add_sample(l, event, weight > 0 ? (uint64_t)weight : 0);
}

static int on_native_sample(struct load *l, struct jfr_event *event)
{
    l->part->native_samples++;
    return 0;
}

static int on_samples_lost(struct load *l, struct jfr_event *event)
{
    int64_t lost = number(event, "lostSamples");
    l->part->lost_samples += lost > 0 ? (uint64_t)lost : 0;
    return 0;
}

/* ---- the recorder's data about itself ---- */

static int put_book(struct load *l, struct jfr_event *event, enum load_note_kind kind)
{
    if (l->profile->without_books)
        return 0;
    struct load_note note = {.kind = kind, .x = (uint64_t)number(event, "time"), .y = (uint64_t)number(event, "count")};
    note.time_ns = jfr_event_epoch_ns(event);
    if (text(l, event, "account", &note.a) || text(l, event, "reason", &note.b))
        return -ENOMEM;
    return load_part_note(l->part, note);
}

static int on_book_line(struct load *l, struct jfr_event *event)
{
    return put_book(l, event, LOAD_BOOK);
}

static int on_book_base(struct load *l, struct jfr_event *event)
{
    return put_book(l, event, LOAD_BOOK_BASE);
}

static int put_thread_cpu(struct load *l, struct jfr_event *event, enum load_note_kind kind)
{
    const struct jfr_field *f = thread_field(event->type);
    struct load_note note = {.kind = kind, .x = jfr_event_key(event, f), .y = span_ns(event, jfr_type_field(event->type, "cpu"))};
    int rc = load_thread(&l->threads, event, f, &note.a);
    return rc ? rc : load_part_note(l->part, note);
}

static int on_thread_cpu(struct load *l, struct jfr_event *event)
{
    return put_thread_cpu(l, event, LOAD_THREAD_CPU);
}

static int on_thread_base(struct load *l, struct jfr_event *event)
{
    return put_thread_cpu(l, event, LOAD_THREAD_BASE);
}

static int on_setting(struct load *l, struct jfr_event *event)
{
    struct load_note note = {.kind = LOAD_SETTING};
    if (text(l, event, "name", &note.a) || text(l, event, "value", &note.b))
        return -ENOMEM;
    return load_part_note(l->part, note);
}

static int on_log(struct load *l, struct jfr_event *event)
{
    struct load_note note = {.kind = LOAD_LOG};
    struct jfr_text level = jfr_value_text(value(event, "level"));
    struct jfr_text message = jfr_value_text(value(event, "message"));
    const char *word = jfr_text_is(level, "info") ? "info" : jfr_text_is(level, "error") ? "error" : "warning";
    if (message.len > MESSAGE_MAX)
        message.len = MESSAGE_MAX;
    if (profile_string(l->profile, word, strlen(word), &note.a) || load_text(l->profile, message, &note.b))
        return -ENOMEM;
    return load_part_note(l->part, note);
}

static int on_jvm(struct load *l, struct jfr_event *event)
{
    int64_t pid = number(event, "pid");
    struct load_note note = {.kind = LOAD_JVM, .x = pid > 0 ? (uint64_t)pid : 0};
    if (text(l, event, "jvmVersion", &note.a) || text(l, event, "javaArguments", &note.b))
        return -ENOMEM;
    return load_part_note(l->part, note);
}

/* Reads the name of the host, which no event of the JDK has, from the environment. Shells and container engines set it for Linux, and
 * Windows sets it for its programs. */
static int on_environment(struct load *l, struct jfr_event *event)
{
    struct load_note note = {.kind = LOAD_SETTING};
    struct jfr_text key = jfr_value_text(value(event, "key")), host = jfr_value_text(value(event, "value"));
    if (!host.len || (!jfr_text_is(key, "HOSTNAME") && !jfr_text_is(key, "COMPUTERNAME")))
        return 0;
    if (profile_string(l->profile, "host", strlen("host"), &note.a) || load_text(l->profile, host, &note.b))
        return -ENOMEM;
    return load_part_note(l->part, note);
}

/* ---- settings of the JDK's and async-profiler's samplers ---- */

/* Parses a period: "20 ms", or a bare number of nanoseconds from async-profiler. Returns nanoseconds; 0 if the text is not a duration
 * ("500/s", "everyChunk"). */
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

/* Reads the interval of async-profiler's wall clock, which is separate from the interval of its CPU samples. 0 means its default. */
static int on_wall_interval(struct load *l, struct jfr_text written)
{
    uint64_t ns = parse_period(written);
    return load_part_note(l->part, (struct load_note){.kind = LOAD_PERIOD, .a = LOAD_WALL_CLOCK, .x = ns ? ns : WALL_DEFAULT_NS});
}

static int on_active_setting(struct load *l, struct jfr_event *event)
{
    uint64_t id = (uint64_t)number(event, "id");
    struct jfr_text name = jfr_value_text(value(event, "name"));
    bool about_period = jfr_text_is(name, "period") || jfr_text_is(name, "interval") || jfr_text_is(name, "throttle");
    enum load_rank rank = LOAD_RANKS - 1;
    while (rank > LOAD_NOTHING && l->types[rank] != id)
        rank--;
    if (rank == LOAD_EXECUTION && jfr_text_is(name, "wall"))
        return on_wall_interval(l, jfr_value_text(value(event, "value")));
    uint64_t ns = about_period && id && rank ? parse_period(jfr_value_text(value(event, "value"))) : 0;
    if (!ns)
        return 0;
    if (rank == LOAD_CPU_TIME)
        l->least_weight = 0;
    return load_part_note(l->part, (struct load_note){.kind = LOAD_PERIOD, .a = rank, .x = ns});
}

/* ---- the walk ---- */

static const struct {
    const char *type;
    int (*handler)(struct load *l, struct jfr_event *event);
} handlers[] = {
    {"candor.CpuSample", on_candor_sample},
    {"candor.SafepointSample", on_safepoint_sample},
    {"candor.WallSample", on_wall_sample},
    {"candor.EventSample", on_event_sample},
    {"candor.BookLine", on_book_line},
    {"candor.ThreadCpu", on_thread_cpu},
    {"candor.BookBase", on_book_base},
    {"candor.ThreadBase", on_thread_base},
    {"candor.Setting", on_setting},
    {"candor.Log", on_log},
    {"jdk.CPUTimeSample", on_cpu_time_sample},
    {"jdk.CPUTimeSamplesLost", on_samples_lost},
    {"jdk.ExecutionSample", on_execution_sample},
    {"jdk.ObjectAllocationSample", on_allocation_sample},
    {"jdk.ObjectAllocationInNewTLAB", on_tlab},
    {"jdk.ObjectAllocationOutsideTLAB", on_tlab},
    {"jdk.OldObjectSample", on_old_object},
    {"profiler.LiveObject", on_live_object},
    {"profiler.WallClockSample", on_wall_clock},
    {"profiler.Malloc", on_malloc},
    {"profiler.Free", on_free},
    {"candor.ObjectEnd", on_object_end},
    {"candor.LiveSet", on_live_set},
    {"jdk.JavaMonitorEnter", on_monitor_enter},
    {"jdk.ThreadPark", on_thread_park},
    {"candor.LockHolder", on_lock_holder},
    {"jdk.NativeMethodSample", on_native_sample},
    {"datadog.ExecutionSample", on_datadog_sample},
    {"jdk.ActiveSetting", on_active_setting},
    {"jdk.JVMInformation", on_jvm},
    {"jdk.InitialEnvironmentVariable", on_environment},
};

int load_new(struct load **out, struct profile *p, struct load_stacks *stacks, _Atomic uint64_t *holders_read)
{
    struct load *l = *out = calloc(1, sizeof *l);
    if (!l)
        return -ENOMEM;
    l->profile = p;
    l->stacks = stacks;
    l->holders_read = holders_read;
    load_threads_init(&l->threads, p);
    load_context_init(&l->contexts, p);
    map_init(&l->classes);
    return 0;
}

void load_free(struct load *l)
{
    if (!l)
        return;
    load_threads_deinit(&l->threads);
    load_context_deinit(&l->contexts);
    map_deinit(&l->classes);
    free(l->handlers);
    free(l->counts);
    free(l);
}

/* Finds a type. In JDK 9, jdk.X has the name com.oracle.jdk.X. */
static const struct jfr_type *type_of(struct jfr_chunk *chunk, const char *name)
{
    char old[128];
    const struct jfr_type *type = jfr_chunk_type(chunk, name);
    snprintf(old, sizeof old, "com.oracle.%s", name);
    return type || strncmp(name, "jdk.", 4) ? type : jfr_chunk_type(chunk, old);
}

static bool has_events(struct jfr_chunk *chunk, const char *type_name)
{
    const struct jfr_type *type = type_name ? type_of(chunk, type_name) : NULL;
    return type && type->events;
}

/* Returns the best source of samples of this kind in the chunk. */
static enum load_rank rank_of(enum profile_kind kind, struct jfr_chunk *chunk)
{
    enum load_rank rank = LOAD_RANKS - 1;
    while (rank > LOAD_NOTHING && !(profile_sources[rank].kinds & 1u << kind &&
                                    (has_events(chunk, profile_sources[rank].first) || has_events(chunk, profile_sources[rank].second))))
        rank--;
    return rank;
}

/* Determines the writer of the chunk, and which of its new samples count. */
static void judge_chunk(struct load *l, struct jfr_chunk *chunk)
{
    l->part->by_candor = jfr_chunk_type(chunk, "candor.Setting") != NULL;
    l->part->rank = rank_of(l->profile->kind, chunk);
    for (enum profile_kind kind = 0; kind < PROFILE_KINDS; kind++) {
        enum load_rank rank = rank_of(kind, chunk);
        bool may_be = rank == LOAD_EXECUTION && kind == PROFILE_WALL; /* the samples' states show whether it is one */
        l->part->kinds |= rank != LOAD_NOTHING && !may_be ? 1u << kind : 0;
    }
}

int load_begin_chunk(struct load *l, struct jfr_chunk *chunk, struct load_part *part)
{
    uint32_t types;
    jfr_chunk_types(chunk, &types);
    free(l->handlers);
    free(l->counts);
    l->handlers = calloc(types ? types : 1, sizeof *l->handlers);
    l->counts = calloc(types ? types : 1, sizeof *l->counts);
    if (!l->handlers || !l->counts)
        return -ENOMEM;
    for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++) {
        const struct jfr_type *type = type_of(chunk, handlers[i].type);
        if (type)
            l->handlers[type->index] = handlers[i].handler;
    }
    for (enum load_rank rank = LOAD_EXECUTION; rank < LOAD_RANKS; rank++) {
        const struct jfr_type *type = type_of(chunk, profile_sources[rank].first);
        l->types[rank] = type ? type->id : 0;
    }
    for (size_t i = 0; i < LOAD_FIELDS_KEPT; i++)
        l->fields[i].type = NULL;
    l->least_weight = 0;
    l->part = part;
    judge_chunk(l, chunk);
    load_threads_new_chunk(&l->threads, part);
    load_context_new_chunk(&l->contexts);
    map_clear(&l->classes);
    return 0;
}

void load_go_on(struct load *l, struct jfr_chunk *chunk)
{
    judge_chunk(l, chunk);
}

int load_event(struct load *l, struct jfr_event *event)
{
    int (*handler)(struct load *, struct jfr_event *) = l->handlers[event->type->index];
    l->counts[event->type->index]++;
    return handler ? handler(l, event) : 0;
}

/* Whether the profile lists events of this type: samples of some kind, and other events that have a stack. Settings declare a stack, but
 * never have one. */
static bool is_listed(const struct jfr_type *type)
{
    bool is_setting = !strcmp(type->name, "jdk.ActiveSetting") || !strcmp(type->name, "jdk.ActiveRecording");
    bool shows_stack = jfr_type_field(type, "stackTrace") && !is_setting;
    return shows_stack || profile_kinds_of(type->name) || !strcmp(type->name, "profiler.Span");
}

int load_end_part(struct load *l, struct jfr_chunk *chunk)
{
    uint32_t count;
    const struct jfr_type *types = jfr_chunk_types(chunk, &count);
    for (uint32_t i = 0; i < count; i++) {
        const char *name = types[i].name;
        struct load_note note = {.kind = LOAD_EVENT_TYPE, .x = l->counts[i], .y = profile_kinds_of(name)};
        l->counts[i] = 0;
        if (!note.x || !is_listed(&types[i]))
            continue;
        if (profile_string(l->profile, name, strlen(name), &note.a) || load_part_note(l->part, note))
            return -ENOMEM;
    }
    return 0;
}
