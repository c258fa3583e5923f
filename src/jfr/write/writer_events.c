/* Every event goes through put_event: the schema says how each of its fields is stored. */
#include "jfr/schema_table.h"
#include "jfr/write/writer_internal.h"

#include <string.h>

enum {
    SHORT_MAX = 127, /* what a size of one byte can say */
    EVENT_BYTES_MAX = (1 << 28) - 1 /* and one padded to four bytes */
};

union argument {
    uint64_t number; /* also an id of a pool's set, or a symbol id */
    const char *text;
};

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
    struct key_set *keyed = type == T_STACK_TRACE ? &w->stacks : type == T_CLASS ? &w->classes : NULL;
    struct id_set *set = type == T_THREAD      ? &w->threads
                         : type == T_CONTEXT   ? &w->contexts
                         : type == T_REFERENCE ? &w->references
                         : type == T_OLD_OBJECT_ROOT ? &w->roots
                                               : NULL;
    uint32_t key = id;
    if (keyed ? !key_set_need(keyed, id, &key) : set && !id_set_need(set, id))
        w->events.failed = true;
    buffer_varint(&w->events, key);
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

static void put_field(struct jfr_writer *w, const struct schema_field *f, union argument value)
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

/* The event's size goes into the byte that was left for it, or into four. */
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

/* The two fields without a given value. Returns the second. */
static const struct schema_field *put_tail_head(struct jfr_writer *w, const struct schema_field *f)
{
    buffer_u8(&w->events, 0);
    buffer_varint(&w->events, T_TAIL);
    return f + 1;
}

/* Returns the values that are left. */
static const union argument *put_fields(struct jfr_writer *w, enum schema_id type, const union argument *values)
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

static void put_event(struct jfr_writer *w, enum schema_id type, const union argument *values)
{
    size_t start = w->events.len;
    buffer_u8(&w->events, 0);
    buffer_varint(&w->events, type);
    put_fields(w, type, values);
    if (!w->failed && !w->events.failed)
        put_size(&w->events, start);
    if (w->failed || w->events.failed) {
        w->events.len = start;
        w->events.failed = false;
        w->dropped++;
    }
}

/* The pool's key of a thread state; 0 is no entry. */
static uint64_t state_key(enum jfr_thread_state state)
{
    return (uint64_t)state + 1;
}

void jfr_write_execution_sample(struct jfr_writer *w, uint64_t ticks, uint32_t thread, uint32_t stack,
                                enum jfr_thread_state state)
{
    put_event(w, T_EXECUTION_SAMPLE, (union argument[]){{ticks}, {thread}, {stack}, {state_key(state)}});
}

static void put_pc_sample(struct jfr_writer *w, enum schema_id type, const struct jfr_cpu_sample *s)
{
    put_event(w, type,
              (union argument[]){{s->ticks},
                                 {s->thread},
                                 {s->stack},
                                 {state_key(s->state)},
                                 {s->weight_ns},
                                 {s->pc},
                                 {s->outcome},
                                 {s->carrier},
                                 {s->context}});
}

void jfr_write_cpu_sample(struct jfr_writer *w, const struct jfr_cpu_sample *s)
{
    put_pc_sample(w, T_CPU_SAMPLE, s);
}

void jfr_write_event_sample(struct jfr_writer *w, const struct jfr_cpu_sample *s)
{
    put_pc_sample(w, T_EVENT_SAMPLE, s);
}

void jfr_write_safepoint_sample(struct jfr_writer *w, const struct jfr_safepoint_sample *s)
{
    put_event(w, T_SAFEPOINT_SAMPLE,
              (union argument[]){{s->ticks}, {s->thread}, {s->stack}, {state_key(s->state)}, {s->weight_ns}, {s->outcome}});
}

void jfr_write_allocation_sample(struct jfr_writer *w, const struct jfr_allocation_sample *s)
{
    put_event(w, T_ALLOCATION_SAMPLE,
              (union argument[]){{s->ticks},
                                 {s->thread},
                                 {s->stack},
                                 {jfr_class_id(s->class_name)},
                                 {s->weight},
                                 {s->size},
                                 {s->interval},
                                 {s->counted},
                                 {s->outcome},
                                 {s->carrier},
                                 {s->context}});
}

void jfr_write_old_object(struct jfr_writer *w, const struct jfr_old_object *o)
{
    const union argument elements = {(uint32_t)(o->object && o->elements >= 0 ? o->elements : INT32_MIN)};
    uint64_t age = o->ticks > o->born_ticks ? o->ticks - o->born_ticks : 0;
    put_event(w, T_OLD_OBJECT_SAMPLE,
              (union argument[]){{o->ticks},
                                 {o->thread},
                                 {o->stack},
                                 {o->born_ticks},
                                 {o->size},
                                 {age},
                                 {o->heap_used},
                                 {o->object},
                                 {jfr_class_id(o->class_name)},
                                 {.text = ""},
                                 {o->has_holder ? o->object : 0},
                                 elements,
                                 {o->root},
                                 {o->weight},
                                 {o->collections},
                                 {o->outcome},
                                 {o->path}});
}

void jfr_write_object_end(struct jfr_writer *w, const struct jfr_old_object *o)
{
    put_event(w, T_OBJECT_END,
              (union argument[]){{o->ticks},
                                 {o->thread},
                                 {o->stack},
                                 {jfr_class_id(o->class_name)},
                                 {o->born_ticks},
                                 {o->size},
                                 {o->weight},
                                 {o->outcome}});
}

void jfr_write_live_set(struct jfr_writer *w, const struct jfr_live_set *s)
{
    put_event(w, T_LIVE_SET,
              (union argument[]){{s->ticks},
                                 {s->collections},
                                 {s->old_collections},
                                 {s->old_before},
                                 {s->heap_used},
                                 {s->objects},
                                 {s->bytes},
                                 {s->error}});
}

void jfr_write_monitor_enter(struct jfr_writer *w, const struct jfr_lock_wait *s)
{
    put_event(w, T_MONITOR_ENTER,
              (union argument[]){{s->ticks},
                                 {s->duration_ticks},
                                 {s->thread},
                                 {s->stack},
                                 {s->has_class ? jfr_class_id(s->class_name) : 0},
                                 {s->owner},
                                 {s->address},
                                 {s->weight_ns},
                                 {s->finished},
                                 {s->outcome},
                                 {s->carrier}});
}

void jfr_write_thread_park(struct jfr_writer *w, const struct jfr_lock_wait *s)
{
    put_event(w, T_THREAD_PARK,
              (union argument[]){{s->ticks},
                                 {s->duration_ticks},
                                 {s->thread},
                                 {s->stack},
                                 {s->has_class ? jfr_class_id(s->class_name) : 0},
                                 {(uint64_t)s->timeout_ns},
                                 {(uint64_t)s->until_epoch_ms},
                                 {s->address},
                                 {s->owner},
                                 {s->weight_ns},
                                 {s->finished},
                                 {s->outcome},
                                 {s->carrier}});
}

void jfr_write_lock_holder(struct jfr_writer *w, const struct jfr_lock_holder *s)
{
    put_event(w, T_LOCK_HOLDER,
              (union argument[]){{s->ticks},
                                 {s->thread},
                                 {s->stack},
                                 {state_key(s->state)},
                                 {s->weight_ns},
                                 {s->outcome},
                                 {s->has_class ? jfr_class_id(s->class_name) : 0}});
}

void jfr_write_wall_sample(struct jfr_writer *w, const struct jfr_wall_sample *s)
{
    put_event(w, T_WALL_SAMPLE,
              (union argument[]){{s->ticks},
                                 {s->thread},
                                 {s->stack},
                                 {state_key(s->state)},
                                 {s->weight_ns},
                                 {s->outcome},
                                 {s->evidence},
                                 {s->carrier},
                                 {s->context}});
}

static uint64_t file_span(const struct jfr_writer *w, uint64_t start, uint64_t end)
{
    return jfr_file_ticks(w, end) - jfr_file_ticks(w, start);
}

void jfr_write_garbage_collection(struct jfr_writer *w, const struct jfr_garbage_collection *c)
{
    put_event(w, T_GARBAGE_COLLECTION,
              (union argument[]){{c->start_ticks},
                                 {file_span(w, c->start_ticks, c->end_ticks)},
                                 {c->id},
                                 {c->name},
                                 {c->cause},
                                 {c->pause_ns},
                                 {c->pause_ns},
                                 {.text = "JVMTI"}});
}

void jfr_write_safepoint_count(struct jfr_writer *w, const struct jfr_safepoint_count *c)
{
    put_event(w, T_SAFEPOINT_COUNT,
              (union argument[]){{c->start_ticks},
                                 {file_span(w, c->start_ticks, c->end_ticks)},
                                 {c->count},
                                 {c->stopped_ns},
                                 {c->synchronizing_ns}});
}

void jfr_write_book_line(struct jfr_writer *w, uint64_t ticks, const char *account, const char *reason, int64_t ns,
                         uint64_t count)
{
    put_event(w, T_BOOK_LINE,
              (union argument[]){{ticks}, {.text = account}, {.text = reason}, {(uint64_t)ns}, {count}});
}

void jfr_write_book_base(struct jfr_writer *w, uint64_t ticks, const char *account, const char *reason, int64_t ns,
                         uint64_t count)
{
    put_event(w, T_BOOK_BASE,
              (union argument[]){{ticks}, {.text = account}, {.text = reason}, {(uint64_t)ns}, {count}});
}

void jfr_write_thread_cpu(struct jfr_writer *w, uint64_t ticks, uint32_t thread, uint64_t cpu_ns, uint64_t samples)
{
    put_event(w, T_THREAD_CPU, (union argument[]){{ticks}, {thread}, {cpu_ns}, {samples}});
}

void jfr_write_thread_base(struct jfr_writer *w, uint64_t ticks, uint32_t thread, uint64_t cpu_ns, uint64_t samples)
{
    put_event(w, T_THREAD_BASE, (union argument[]){{ticks}, {thread}, {cpu_ns}, {samples}});
}

void jfr_write_code_sample(struct jfr_writer *w, const struct jfr_code_sample *s)
{
    put_event(w, T_CODE_SAMPLE,
              (union argument[]){{s->ticks}, {s->stack}, {s->weight_ns}, {s->pc}, {s->compilation}, {s->code}, {s->capture}});
}

void jfr_write_code_snapshot(struct jfr_writer *w, const struct jfr_code_snapshot *s)
{
    put_event(w, T_CODE_SNAPSHOT,
              (union argument[]){{s->ticks},
                                 {s->stack},
                                 {.text = s->kind},
                                 {.text = s->name},
                                 {s->compilation},
                                 {s->level},
                                 {(uint32_t)s->entry_bci},
                                 {s->address},
                                 {s->entry},
                                 {.text = s->code}});
}

void jfr_write_code_place(struct jfr_writer *w, uint64_t ticks, uint32_t stack, uint32_t compilation, uint64_t address, uint32_t end)
{
    put_event(w, T_CODE_PLACE, (union argument[]){{ticks}, {stack}, {compilation}, {address}, {end}});
}

void jfr_write_code_name(struct jfr_writer *w, uint64_t ticks, const char *name, uint64_t address, uint32_t size)
{
    put_event(w, T_CODE_NAME, (union argument[]){{ticks}, {.text = name}, {address}, {size}});
}

void jfr_write_setting(struct jfr_writer *w, uint64_t ticks, const char *name, const char *value)
{
    put_event(w, T_SETTING, (union argument[]){{ticks}, {.text = name}, {.text = value}});
}

void jfr_write_log(struct jfr_writer *w, uint64_t ticks, const char *level, const char *message)
{
    put_event(w, T_LOG, (union argument[]){{ticks}, {.text = level}, {.text = message}});
}

void jfr_write_active_recording(struct jfr_writer *w, uint64_t ticks, const char *name, const char *destination,
                                uint64_t start_epoch_ms, uint64_t duration_ms)
{
    put_event(w, T_ACTIVE_RECORDING,
              (union argument[]){{ticks}, {1}, {.text = name}, {.text = destination}, {start_epoch_ms}, {duration_ms}});
}

void jfr_write_active_setting(struct jfr_writer *w, uint64_t ticks, const char *event, const char *name,
                              const char *value)
{
    put_event(w, T_ACTIVE_SETTING,
              (union argument[]){{ticks}, {schema_id(event)}, {.text = name}, {.text = value}});
}

void jfr_write_jvm_information(struct jfr_writer *w, uint64_t ticks, const struct jfr_jvm_information *info)
{
    put_event(w, T_JVM_INFORMATION,
              (union argument[]){{ticks}, {.text = info->jvm_name}, {.text = info->jvm_version},
                                 {.text = info->jvm_arguments}, {.text = info->jvm_flags},
                                 {.text = info->java_arguments}, {info->start_epoch_ms}, {(uint64_t)info->pid}});
}

void jfr_write_os_information(struct jfr_writer *w, uint64_t ticks, const char *version)
{
    put_event(w, T_OS_INFORMATION, (union argument[]){{ticks}, {.text = version}});
}

void jfr_write_cpu_information(struct jfr_writer *w, uint64_t ticks, const char *cpu, const char *description,
                               uint32_t sockets, uint32_t cores, uint32_t hw_threads)
{
    put_event(w, T_CPU_INFORMATION,
              (union argument[]){{ticks}, {.text = cpu}, {.text = description}, {sockets}, {cores}, {hw_threads}});
}

void jfr_write_system_property(struct jfr_writer *w, uint64_t ticks, const char *key, const char *value)
{
    put_event(w, T_SYSTEM_PROPERTY, (union argument[]){{ticks}, {.text = key}, {.text = value}});
}
