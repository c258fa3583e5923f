/* Writes events. Every event goes through put_event: the schema says how each of its fields is stored. The functions below name the field
 * for each value. In the product, these names are removed by the preprocessor. If CANDOR_CHECK_FIELDS is defined, as for
 * tests/unit/test_jfr_fields.c, put_event compares them with the schema. */
#include "jfr/schema_table.h"
#include "jfr/write/writer_internal.h"

#include <string.h>

enum {
    SHORT_MAX = 127,                /* the largest size in one byte */
    EVENT_BYTES_MAX = (1 << 28) - 1 /* the largest size that is padded to four bytes */
};

/* The value of one field. The values of an event are in the order of the schema's fields. */
struct value {
    union {
        uint64_t number; /* a number, an id in a pool's set, or a symbol id */
        const char *text;
    };
#ifdef CANDOR_CHECK_FIELDS
    const char *field; /* NULL: after the last value */
    bool is_text;
#endif
};

#ifdef CANDOR_CHECK_FIELDS
#define NUMBER(name, given)                                                                                                                \
    {                                                                                                                                      \
        .number = (given), .field = #name                                                                                                  \
    }
#define TEXT(name, given)                                                                                                                  \
    {                                                                                                                                      \
        .text = (given), .field = #name, .is_text = true                                                                                   \
    }
#define VALUES(...) ((const struct value[]){__VA_ARGS__, {.field = NULL}})
#else
#define NUMBER(name, given)                                                                                                                \
    {                                                                                                                                      \
        .number = (given)                                                                                                                  \
    }
#define TEXT(name, given)                                                                                                                  \
    {                                                                                                                                      \
        .text = (given)                                                                                                                    \
    }
#define VALUES(...) ((const struct value[]){__VA_ARGS__})
#endif

void jfr_put_string(struct buffer *b, const char *bytes, size_t len)
{
    buffer_u8(b, !bytes ? 0 : !len ? 1 : 3); /* null, empty, UTF-8 */
    if (!bytes || !len)
        return;
    buffer_varint(b, len);
    buffer_put(b, bytes, len);
}

static void put_pooled(struct jfr_writer *w, enum schema_id type, uint32_t id)
{
    struct key_set *keyed = type == T_STACK_TRACE ? &w->stacks : type == T_CLASS ? &w->classes : type == T_THREAD ? &w->threads : NULL;
    struct id_set *set = type == T_CONTEXT           ? &w->contexts
                         : type == T_REFERENCE       ? &w->references
                         : type == T_OLD_OBJECT_ROOT ? &w->roots
                                                     : NULL;
    uint32_t key = id;
    if (keyed ? !key_set_need(keyed, id, &key) : set && !id_set_need(set, id))
        w->events.failed = true;
    buffer_varint(&w->events, type == T_THREAD ? id : key);
}

static void put_string_ref(struct jfr_writer *w, uint64_t symbol)
{
    if (!symbol) {
        jfr_put_string(&w->events, "", 0);
        return;
    }
    if (!id_set_need(&w->strings, (uint32_t)symbol))
        w->events.failed = true;
    buffer_u8(&w->events, 2); /* a reference into the pool */
    buffer_varint(&w->events, symbol);
}

static void put_field(struct jfr_writer *w, const struct schema_field *f, struct value value)
{
    uint64_t number = f->type == T_INT ? (uint32_t)value.number : value.number;
    if (f->flags & S_POOL)
        put_pooled(w, f->type, (uint32_t)value.number);
    else if (f->flags & S_STRING_REF)
        put_string_ref(w, value.number);
    else if (f->type == T_STRING)
        jfr_put_string(&w->events, value.text, value.text ? strlen(value.text) : 0);
    else
        buffer_varint(&w->events, f->flags & S_TICKS ? jfr_file_ticks(w, number) : number);
}

/* Writes the event's size into the byte that was reserved for it, or into four bytes. */
static void put_size(struct buffer *b, size_t start)
{
    size_t size = b->len - start, more = 3;
    if (size <= SHORT_MAX) {
        b->data[start] = (uint8_t)size;
        return;
    }
    if (!buffer_reserve(b, more))
        return;
    memmove(b->data + start + 1 + more, b->data + start + 1, size - 1);
    buffer_advance(b, more);
    if (size + more > EVENT_BYTES_MAX)
        b->failed = true;
    else
        buffer_patch_varint4(b, start, (uint32_t)(size + more));
}

static bool is_struct(const struct schema_field *f)
{
    return !(f->flags & S_POOL) && f->type != T_STRING && schema_type(f->type)->fields[0].name;
}

/* Writes the two fields that have no given value. Returns the second one. */
static const struct schema_field *put_tail_head(struct jfr_writer *w, const struct schema_field *f)
{
    buffer_u8(&w->events, 0);
    buffer_varint(&w->events, T_TAIL);
    return f + 1;
}

#ifdef CANDOR_CHECK_FIELDS
/* Provided by the test: called when an event of this type was written. `wrong`: the first field that has no value or a wrong one; NULL =
 * each has its own. `given`: the field that the value in its place names; NULL = there is none. If there is one value too many, wrong is
 * "". */
void jfr_fields_checked(const struct schema_type *type, const char *wrong, const char *given);

/* Returns the first field of a type that does not have its own value. Moves *values past those of the fields before. */
static const char *find_wrong(const struct schema_type *type, const struct value **values)
{
    for (const struct schema_field *f = type->fields; f->name; f++) {
        const char *wrong = NULL;
        if (f->flags & S_TAIL)
            f++;
        else if (is_struct(f))
            wrong = find_wrong(schema_type(f->type), values);
        else if (!(*values)->field || strcmp((*values)->field, f->name) ||
                 (*values)->is_text != (f->type == T_STRING && !(f->flags & S_STRING_REF)))
            wrong = f->name;
        else
            ++*values;
        if (wrong)
            return wrong;
    }
    return NULL;
}

static void check_fields(enum schema_id type, const struct value *values)
{
    const char *wrong = find_wrong(schema_type(type), &values);
    jfr_fields_checked(schema_type(type), wrong || !values->field ? wrong : "", values->field);
}
#else
static void check_fields(enum schema_id type, const struct value *values)
{
}
#endif

/* Writes the fields of a type. Returns the remaining values. */
static const struct value *put_fields(struct jfr_writer *w, enum schema_id type, const struct value *values)
{
    size_t tail = 0;
    for (const struct schema_field *f = schema_type(type)->fields; f->name; f++)
        if (f->flags & S_TAIL) {
            tail = w->events.len;
            f = put_tail_head(w, f);
        } else if (is_struct(f))
            values = put_fields(w, f->type, values);
        else
            put_field(w, f, *values++);
    if (tail && !w->events.failed)
        put_size(&w->events, tail);
    return values;
}

/* Writes an event. Returns false if there is no room for it. */
static bool put_one(struct jfr_writer *w, enum schema_id type, const struct value *values)
{
    size_t start = w->events.len;
    buffer_u8(&w->events, 0);
    buffer_varint(&w->events, type);
    put_fields(w, type, values);
    if (!w->failed && !w->events.failed)
        put_size(&w->events, start);
    bool fits = !w->failed && !w->events.failed;
    if (!fits)
        w->events.len = start;
    w->events.failed = false;
    return fits;
}

/* Writes the event to each writer that has this type, or to none if one of them has no room. A writer that has failed is skipped, because
 * its recording is over. */
static bool put_to_all(const struct jfr_tee *tee, enum schema_id type, const struct value *values)
{
    size_t starts[JFR_TEE_MAX];
    uint32_t failed = 0, i;
    bool fits = true;
    for (i = 0; i < tee->count && fits; i++) {
        struct jfr_writer *w = tee->writers[i];
        starts[i] = w->events.len;
        failed += w->failed != 0;
        if (!w->failed && !(schema_type(type)->without & w->options.without))
            fits = put_one(w, type, values);
    }
    while (!fits && i--)
        tee->writers[i]->events.len = starts[i];
    return fits && failed < tee->count;
}

static void put_event(struct jfr_writer *w, enum schema_id type, const struct value *values)
{
    check_fields(type, values);
    if (!(w->tee ? put_to_all(w->tee, type, values) : put_one(w, type, values)))
        w->dropped++;
}

/* Returns the pool's key of a thread state. 0 would mean no entry. */
static uint64_t state_key(enum jfr_thread_state state)
{
    return (uint64_t)state + 1;
}

void jfr_write_execution_sample(struct jfr_writer *w, uint64_t ticks, uint32_t thread, uint32_t stack, enum jfr_thread_state state)
{
    put_event(w, T_EXECUTION_SAMPLE,
              VALUES(NUMBER(startTime, ticks), NUMBER(sampledThread, thread), NUMBER(stackTrace, stack), NUMBER(state, state_key(state))));
}

/* The values of a sample with a pc. */
#define PC_SAMPLE(s)                                                                                                                       \
    NUMBER(startTime, (s)->ticks), NUMBER(eventThread, (s)->thread), NUMBER(stackTrace, (s)->stack), NUMBER(state, state_key((s)->state)), \
        NUMBER(weight, (s)->weight_ns), NUMBER(pc, (s)->pc), NUMBER(outcome, (s)->outcome), NUMBER(carrierThread, (s)->carrier),           \
        NUMBER(context, (s)->context)

void jfr_write_cpu_sample(struct jfr_writer *w, const struct jfr_cpu_sample *s)
{
    put_event(w, T_CPU_SAMPLE, VALUES(PC_SAMPLE(s), NUMBER(window, s->window), NUMBER(chance, s->chance)));
}

void jfr_write_event_sample(struct jfr_writer *w, const struct jfr_cpu_sample *s)
{
    put_event(w, T_EVENT_SAMPLE, VALUES(PC_SAMPLE(s)));
}

void jfr_write_safepoint_sample(struct jfr_writer *w, const struct jfr_safepoint_sample *s)
{
    put_event(w, T_SAFEPOINT_SAMPLE,
              VALUES(NUMBER(startTime, s->ticks), NUMBER(eventThread, s->thread), NUMBER(stackTrace, s->stack),
                     NUMBER(state, state_key(s->state)), NUMBER(weight, s->weight_ns), NUMBER(outcome, s->outcome),
                     NUMBER(context, s->context)));
}

void jfr_write_allocation_sample(struct jfr_writer *w, const struct jfr_allocation_sample *s)
{
    put_event(w, T_ALLOCATION_SAMPLE,
              VALUES(NUMBER(startTime, s->ticks), NUMBER(eventThread, s->thread), NUMBER(stackTrace, s->stack),
                     NUMBER(objectClass, jfr_class_id(s->class_name)), NUMBER(weight, s->weight), NUMBER(size, s->size),
                     NUMBER(interval, s->interval), NUMBER(counted, s->counted), NUMBER(outcome, s->outcome),
                     NUMBER(carrierThread, s->carrier), NUMBER(context, s->context)));
}

void jfr_write_old_object(struct jfr_writer *w, const struct jfr_old_object *o)
{
    uint32_t elements = (uint32_t)(o->object && o->elements >= 0 ? o->elements : INT32_MIN);
    uint64_t age = o->ticks > o->born_ticks ? o->ticks - o->born_ticks : 0;
    put_event(w, T_OLD_OBJECT_SAMPLE,
              VALUES(NUMBER(startTime, o->ticks), NUMBER(eventThread, o->thread), NUMBER(stackTrace, o->stack),
                     NUMBER(allocationTime, o->born_ticks), NUMBER(objectSize, o->size), NUMBER(objectAge, age),
                     NUMBER(lastKnownHeapUsage, o->heap_used), NUMBER(address, o->object), NUMBER(type, jfr_class_id(o->class_name)),
                     TEXT(description, ""), NUMBER(referrer, o->has_holder ? o->object : 0), NUMBER(arrayElements, elements),
                     NUMBER(root, o->root), NUMBER(weight, o->weight), NUMBER(collections, o->collections), NUMBER(outcome, o->outcome),
                     NUMBER(path, o->path), NUMBER(context, o->context)));
}

void jfr_write_object_end(struct jfr_writer *w, const struct jfr_old_object *o)
{
    put_event(w, T_OBJECT_END,
              VALUES(NUMBER(startTime, o->ticks), NUMBER(eventThread, o->thread), NUMBER(stackTrace, o->stack),
                     NUMBER(objectClass, jfr_class_id(o->class_name)), NUMBER(allocationTime, o->born_ticks), NUMBER(objectSize, o->size),
                     NUMBER(weight, o->weight), NUMBER(outcome, o->outcome), NUMBER(context, o->context)));
}

void jfr_write_live_set(struct jfr_writer *w, const struct jfr_live_set *s)
{
    put_event(w, T_LIVE_SET,
              VALUES(NUMBER(startTime, s->ticks), NUMBER(collections, s->collections), NUMBER(oldCollections, s->old_collections),
                     NUMBER(oldBefore, s->old_before), NUMBER(heapUsed, s->heap_used), NUMBER(objects, s->objects), NUMBER(bytes, s->bytes),
                     NUMBER(error, s->error)));
}

void jfr_write_monitor_enter(struct jfr_writer *w, const struct jfr_lock_wait *s)
{
    put_event(w, T_MONITOR_ENTER,
              VALUES(NUMBER(startTime, s->ticks), NUMBER(duration, s->duration_ticks), NUMBER(eventThread, s->thread),
                     NUMBER(stackTrace, s->stack), NUMBER(monitorClass, s->has_class ? jfr_class_id(s->class_name) : 0),
                     NUMBER(previousOwner, s->owner), NUMBER(address, s->address), NUMBER(weight, s->weight_ns),
                     NUMBER(finished, s->finished), NUMBER(outcome, s->outcome), NUMBER(carrierThread, s->carrier),
                     NUMBER(context, s->context), NUMBER(ownerContext, s->owner_context)));
}

void jfr_write_thread_park(struct jfr_writer *w, const struct jfr_lock_wait *s)
{
    put_event(w, T_THREAD_PARK,
              VALUES(NUMBER(startTime, s->ticks), NUMBER(duration, s->duration_ticks), NUMBER(eventThread, s->thread),
                     NUMBER(stackTrace, s->stack), NUMBER(parkedClass, s->has_class ? jfr_class_id(s->class_name) : 0),
                     NUMBER(timeout, (uint64_t)s->timeout_ns), NUMBER(until, (uint64_t)s->until_epoch_ms), NUMBER(address, s->address),
                     NUMBER(owner, s->owner), NUMBER(weight, s->weight_ns), NUMBER(finished, s->finished), NUMBER(outcome, s->outcome),
                     NUMBER(carrierThread, s->carrier), NUMBER(context, s->context), NUMBER(ownerContext, s->owner_context)));
}

void jfr_write_lock_holder(struct jfr_writer *w, const struct jfr_lock_holder *s)
{
    put_event(w, T_LOCK_HOLDER,
              VALUES(NUMBER(startTime, s->ticks), NUMBER(eventThread, s->thread), NUMBER(stackTrace, s->stack),
                     NUMBER(state, state_key(s->state)), NUMBER(weight, s->weight_ns), NUMBER(outcome, s->outcome),
                     NUMBER(lockClass, s->has_class ? jfr_class_id(s->class_name) : 0), NUMBER(context, s->context)));
}

void jfr_write_wall_sample(struct jfr_writer *w, const struct jfr_wall_sample *s)
{
    put_event(w, T_WALL_SAMPLE,
              VALUES(NUMBER(startTime, s->ticks), NUMBER(eventThread, s->thread), NUMBER(stackTrace, s->stack),
                     NUMBER(state, state_key(s->state)), NUMBER(weight, s->weight_ns), NUMBER(outcome, s->outcome),
                     NUMBER(evidence, s->evidence), NUMBER(carrierThread, s->carrier), NUMBER(context, s->context),
                     NUMBER(sameWait, s->same_wait)));
}

static uint64_t file_span(const struct jfr_writer *w, uint64_t start, uint64_t end)
{
    return jfr_file_ticks(w, end) - jfr_file_ticks(w, start);
}

void jfr_write_garbage_collection(struct jfr_writer *w, const struct jfr_garbage_collection *c)
{
    put_event(w, T_GARBAGE_COLLECTION,
              VALUES(NUMBER(startTime, c->start_ticks), NUMBER(duration, file_span(w, c->start_ticks, c->end_ticks)), NUMBER(gcId, c->id),
                     NUMBER(name, c->name), NUMBER(cause, c->cause), NUMBER(sumOfPauses, c->pause_ns), NUMBER(longestPause, c->pause_ns),
                     TEXT(toldBy, "JVMTI")));
}

void jfr_write_safepoint_count(struct jfr_writer *w, const struct jfr_safepoint_count *c)
{
    put_event(w, T_SAFEPOINT_COUNT,
              VALUES(NUMBER(startTime, c->start_ticks), NUMBER(duration, file_span(w, c->start_ticks, c->end_ticks)),
                     NUMBER(count, c->count), NUMBER(stopped, c->stopped_ns), NUMBER(synchronizing, c->synchronizing_ns)));
}

void jfr_write_class_statistics(struct jfr_writer *w, const struct jfr_class_statistics *s)
{
    put_event(w, T_CLASS_STATISTICS,
              VALUES(NUMBER(startTime, s->ticks), NUMBER(loadedClassCount, s->loaded), NUMBER(unloadedClassCount, s->unloaded)));
}

void jfr_write_thread_statistics(struct jfr_writer *w, const struct jfr_thread_statistics *s)
{
    put_event(w, T_THREAD_STATISTICS,
              VALUES(NUMBER(startTime, s->ticks), NUMBER(activeCount, s->active), NUMBER(daemonCount, s->daemon),
                     NUMBER(accumulatedCount, s->accumulated), NUMBER(peakCount, s->peak)));
}

void jfr_write_book_line(struct jfr_writer *w, uint64_t ticks, const char *account, const char *reason, int64_t ns, uint64_t count)
{
    put_event(
        w, T_BOOK_LINE,
        VALUES(NUMBER(startTime, ticks), TEXT(account, account), TEXT(reason, reason), NUMBER(time, (uint64_t)ns), NUMBER(count, count)));
}

void jfr_write_book_base(struct jfr_writer *w, uint64_t ticks, const char *account, const char *reason, int64_t ns, uint64_t count)
{
    put_event(
        w, T_BOOK_BASE,
        VALUES(NUMBER(startTime, ticks), TEXT(account, account), TEXT(reason, reason), NUMBER(time, (uint64_t)ns), NUMBER(count, count)));
}

void jfr_write_thread_cpu(struct jfr_writer *w, uint64_t ticks, uint32_t thread, uint64_t cpu_ns, uint64_t samples)
{
    put_event(w, T_THREAD_CPU,
              VALUES(NUMBER(startTime, ticks), NUMBER(eventThread, thread), NUMBER(cpu, cpu_ns), NUMBER(samples, samples)));
}

void jfr_write_thread_base(struct jfr_writer *w, uint64_t ticks, uint32_t thread, uint64_t cpu_ns, uint64_t samples)
{
    put_event(w, T_THREAD_BASE,
              VALUES(NUMBER(startTime, ticks), NUMBER(eventThread, thread), NUMBER(cpu, cpu_ns), NUMBER(samples, samples)));
}

void jfr_write_code_sample(struct jfr_writer *w, const struct jfr_code_sample *s)
{
    put_event(w, T_CODE_SAMPLE,
              VALUES(NUMBER(startTime, s->ticks), NUMBER(stackTrace, s->stack), NUMBER(weight, s->weight_ns), NUMBER(pc, s->pc),
                     NUMBER(compilation, s->compilation), NUMBER(code, s->code), NUMBER(capture, s->capture)));
}

void jfr_write_code_snapshot(struct jfr_writer *w, const struct jfr_code_snapshot *s)
{
    put_event(w, T_CODE_SNAPSHOT,
              VALUES(NUMBER(startTime, s->ticks), NUMBER(stackTrace, s->stack), TEXT(kind, s->kind), TEXT(name, s->name),
                     NUMBER(compilation, s->compilation), NUMBER(level, s->level), NUMBER(entryBci, (uint32_t)s->entry_bci),
                     NUMBER(address, s->address), NUMBER(entry, s->entry), TEXT(code, s->code)));
}

void jfr_write_code_place(struct jfr_writer *w, uint64_t ticks, uint32_t stack, uint32_t compilation, uint64_t address, uint32_t end)
{
    put_event(w, T_CODE_PLACE,
              VALUES(NUMBER(startTime, ticks), NUMBER(stackTrace, stack), NUMBER(compilation, compilation), NUMBER(address, address),
                     NUMBER(end, end)));
}

void jfr_write_code_name(struct jfr_writer *w, uint64_t ticks, const char *name, uint64_t address, uint32_t size)
{
    put_event(w, T_CODE_NAME, VALUES(NUMBER(startTime, ticks), TEXT(name, name), NUMBER(address, address), NUMBER(size, size)));
}

void jfr_write_setting(struct jfr_writer *w, uint64_t ticks, const char *name, const char *value)
{
    put_event(w, T_SETTING, VALUES(NUMBER(startTime, ticks), TEXT(name, name), TEXT(value, value)));
}

void jfr_write_log(struct jfr_writer *w, uint64_t ticks, const char *level, const char *message)
{
    put_event(w, T_LOG, VALUES(NUMBER(startTime, ticks), TEXT(level, level), TEXT(message, message)));
}

void jfr_write_active_recording(struct jfr_writer *w, uint64_t ticks, const char *name, const char *destination, uint64_t start_epoch_ms,
                                uint64_t duration_ms)
{
    put_event(w, T_ACTIVE_RECORDING,
              VALUES(NUMBER(startTime, ticks), NUMBER(duration, 0), NUMBER(id, 1), TEXT(name, name), TEXT(destination, destination),
                     NUMBER(recordingStart, start_epoch_ms), NUMBER(recordingDuration, duration_ms)));
}

void jfr_write_active_setting(struct jfr_writer *w, uint64_t ticks, const char *event, const char *name, const char *value)
{
    put_event(w, T_ACTIVE_SETTING, VALUES(NUMBER(startTime, ticks), NUMBER(id, schema_id(event)), TEXT(name, name), TEXT(value, value)));
}

void jfr_write_jvm_information(struct jfr_writer *w, uint64_t ticks, const struct jfr_jvm_information *info)
{
    put_event(w, T_JVM_INFORMATION,
              VALUES(NUMBER(startTime, ticks), TEXT(jvmName, info->jvm_name), TEXT(jvmVersion, info->jvm_version),
                     TEXT(jvmArguments, info->jvm_arguments), TEXT(jvmFlags, info->jvm_flags), TEXT(javaArguments, info->java_arguments),
                     NUMBER(jvmStartTime, info->start_epoch_ms), NUMBER(pid, (uint64_t)info->pid)));
}

void jfr_write_os_information(struct jfr_writer *w, uint64_t ticks, const char *version)
{
    put_event(w, T_OS_INFORMATION, VALUES(NUMBER(startTime, ticks), TEXT(osVersion, version)));
}

void jfr_write_cpu_information(struct jfr_writer *w, uint64_t ticks, const char *cpu, const char *description, uint32_t sockets,
                               uint32_t cores, uint32_t hw_threads)
{
    put_event(w, T_CPU_INFORMATION,
              VALUES(NUMBER(startTime, ticks), TEXT(cpu, cpu), TEXT(description, description), NUMBER(sockets, sockets),
                     NUMBER(cores, cores), NUMBER(hwThreads, hw_threads)));
}

void jfr_write_system_property(struct jfr_writer *w, uint64_t ticks, const char *key, const char *value)
{
    put_event(w, T_SYSTEM_PROPERTY, VALUES(NUMBER(startTime, ticks), TEXT(key, key), TEXT(value, value)));
}
