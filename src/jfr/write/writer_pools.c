/* Writes the checkpoint event: size, 1 (its type), start, duration, distance to the previous checkpoint (negative; 0 = first), kind, pool
 * count, and per pool: class, entry count, (key, value)*. No pool may be empty, because readers treat an empty pool as damage. */
#include "jfr/schema_table.h"
#include "jfr/write/writer_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void checkpoint_begin(struct jfr_writer *w)
{
    struct checkpoint *c = &w->checkpoint;
    uint64_t start = w->end - w->head.at + w->events.len + w->out.len; /* the events are written before the checkpoint */
    *c = (struct checkpoint){.open = true, .start_at = w->out.len, .start = start};
    buffer_be32(&w->out, 0);
    buffer_varint(&w->out, 1);
    buffer_varint(&w->out, jfr_file_ticks(w, w->flush_ticks));
    buffer_varint(&w->out, 0);
    buffer_varint(&w->out, w->last_checkpoint ? w->last_checkpoint - c->start : 0);
    buffer_u8(&w->out, 0);
    c->pools_at = w->out.len;
    buffer_be32(&w->out, 0);
}

static void pool_end(struct jfr_writer *w)
{
    struct checkpoint *c = &w->checkpoint;
    if (c->class)
        buffer_patch_varint4(&w->out, c->entries_at, c->entries);
    c->class = 0;
}

static void pool_begin(struct jfr_writer *w, enum schema_id class)
{
    struct checkpoint *c = &w->checkpoint;
    pool_end(w);
    buffer_varint(&w->out, class);
    c->entries_at = w->out.len;
    buffer_be32(&w->out, 0);
    c->class = class;
    c->entries = 0;
    c->pools++;
}

static void checkpoint_end(struct jfr_writer *w)
{
    struct checkpoint *c = &w->checkpoint;
    if (!c->open)
        return;
    pool_end(w);
    buffer_patch_varint4(&w->out, c->pools_at, c->pools);
    buffer_patch_varint4(&w->out, c->start_at, (uint32_t)(w->out.len - c->start_at));
    w->last_checkpoint = c->start;
    c->open = false;
}

static struct buffer *entry(struct jfr_writer *w, enum schema_id class, uint64_t key)
{
    if (!w->checkpoint.open)
        checkpoint_begin(w);
    if (w->checkpoint.class != class)
        pool_begin(w, class);
    w->checkpoint.entries++;
    buffer_varint(&w->out, key);
    return &w->out;
}

/* Limits the memory of a flush with many new names, by writing complete data to the file. */
static int entry_end(struct jfr_writer *w)
{
    if (w->out.len < JFR_PIECE_BYTES)
        return 0;
    checkpoint_end(w);
    return jfr_writer_drain(w);
}

/* Symbols are stored under their id + SYMBOL_KEY, which is also the id of the class with that name. So the empty name (id 0) has an entry,
 * too, and no entry has the key 0, which means null. */
enum { NO_DESCRIPTOR_KEY = 1, SYMBOL_KEY = 2 };

static uint32_t need_symbol(struct jfr_writer *w, uint32_t id)
{
    if (!id_set_need(&w->symbols, id + SYMBOL_KEY))
        w->out.failed = true;
    return id + SYMBOL_KEY;
}

uint32_t jfr_class_id(uint32_t name)
{
    return name + SYMBOL_KEY;
}

/* Returns the key of an entry of `set`, which is written already or will be. */
static uint32_t need(struct jfr_writer *w, struct key_set *set, uint32_t id)
{
    uint32_t key;
    if (!key_set_need(set, id, &key))
        w->out.failed = true;
    return key;
}

static uint32_t need_class(struct jfr_writer *w, uint32_t name)
{
    return need(w, &w->classes, jfr_class_id(name));
}

static void put_symbol_text(struct jfr_writer *w, uint32_t id)
{
    size_t len = 0;
    const char *text = id ? w->answers.symbol(w->answers.context, id, &len) : "";
    jfr_put_string(&w->out, text ? text : "", text ? len : 0);
}

static void put_stack(struct jfr_writer *w, uint32_t id)
{
    bool truncated = false;
    size_t count = w->answers.stack(w->answers.context, id, w->frames, JFR_FRAMES_MAX, &truncated);
    struct buffer *b = entry(w, T_STACK_TRACE, need(w, &w->stacks, id));
    buffer_u8(b, truncated);
    buffer_varint(b, count);
    for (size_t i = 0; i < count; i++) {
        const struct jfr_frame *f = &w->frames[i];
        struct jfr_frame_form form = jfr_frame_forms[f->type];
        buffer_varint(b, need(w, &w->methods, f->method));
        buffer_varint(b, f->line > 0 ? (uint32_t)f->line : 0); /* 0 for unknown, because -1 would take five bytes */
        buffer_varint(b, (f->bci & UINT16_MAX) | (uint32_t)form.mark << JFR_BCI_BITS);
        buffer_varint(b, form.key);
    }
}

static void put_thread(struct jfr_writer *w, uint32_t id)
{
    struct jfr_thread t = {0};
    w->answers.thread(w->answers.context, id, &t);
    struct buffer *b = entry(w, T_THREAD, id);
    jfr_put_string(b, t.os_name.text ? t.os_name.text : "", t.os_name.len);
    buffer_varint(b, t.os_id);
    jfr_put_string(b, t.java_name.text, t.java_name.len);
    buffer_varint(b, t.java_id);
    buffer_varint(b, 0);
    buffer_u8(b, t.is_virtual);
}

static void put_method(struct jfr_writer *w, uint32_t id)
{
    struct jfr_method m = {0};
    w->answers.method(w->answers.context, id, &m);
    struct buffer *b = entry(w, T_METHOD, need(w, &w->methods, id));
    buffer_varint(b, need_class(w, m.class_name));
    buffer_varint(b, need_symbol(w, m.name));
    buffer_varint(b, m.descriptor ? need_symbol(w, m.descriptor) : NO_DESCRIPTOR_KEY);
    buffer_varint(b, 0);
    buffer_u8(b, 0);
}

static void put_class(struct jfr_writer *w, uint32_t id)
{
    struct buffer *b = entry(w, T_CLASS, need(w, &w->classes, id));
    buffer_varint(b, 0);
    buffer_varint(b, need_symbol(w, id - SYMBOL_KEY));
    buffer_varint(b, 0);
    buffer_varint(b, 0);
}

static const char *symbol_text(struct jfr_writer *w, uint32_t key, size_t *len)
{
    const char *text = key > SYMBOL_KEY ? w->answers.symbol(w->answers.context, key - SYMBOL_KEY, len) : NULL;
    if (!text)
        *len = 0;
    return text ? text : "";
}

/* Writes a symbol. It is stored as bytes even if it is empty, because other tools' readers support no other coding of symbols (one.jfr). */
static void put_symbol(struct jfr_writer *w, uint32_t key)
{
    size_t len;
    const char *text = symbol_text(w, key, &len);
    struct buffer *b = entry(w, T_SYMBOL, key);
    buffer_u8(b, 3);
    buffer_varint(b, len);
    buffer_put(b, text, len);
}

/* A symbol while it is sorted. */
struct named {
    const char *text;
    size_t len;
    uint32_t key;
};

static int by_text(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    int order = memcmp(x->text, y->text, x->len < y->len ? x->len : y->len);
    return order ? order : (x->len > y->len) - (x->len < y->len);
}

/* Sorts symbols, because names with the same beginning, from one package or signature, compress best next to each other. If there is no
 * memory, they stay in the order of arrival. */
static void sort_symbols(struct jfr_writer *w)
{
    struct id_set *set = &w->symbols;
    struct named *names = malloc(set->pending_count * sizeof *names);
    if (!names)
        return;
    for (size_t i = 0; i < set->pending_count; i++) {
        names[i] = (struct named){.key = set->pending[i]};
        names[i].text = symbol_text(w, names[i].key, &names[i].len);
    }
    qsort(names, set->pending_count, sizeof *names, by_text);
    for (size_t i = 0; i < set->pending_count; i++)
        set->pending[i] = names[i].key;
    free(names);
}

static void sort_stacks(struct jfr_writer *w)
{
    if (w->answers.sort_stacks)
        w->answers.sort_stacks(w->answers.context, w->stacks.ids.pending, w->stacks.ids.pending_count);
}

static void put_shared_string(struct jfr_writer *w, uint32_t id)
{
    entry(w, T_STRING, id);
    put_symbol_text(w, id);
}

/* ---- contexts, as text: Mission Control takes a type with several fields for another one in each chunk ---- */

static void put_escaped(struct buffer *b, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (text[i] == ';' || text[i] == '\\')
            buffer_u8(b, '\\');
        buffer_u8(b, (uint8_t)text[i]);
    }
}

/* Adds a label. begin: where the whole text begins. */
static void put_label(struct buffer *b, size_t begin, const char *key, const char *value, size_t len)
{
    if (b->len > begin)
        buffer_put(b, "; ", 2);
    buffer_put(b, key, strlen(key));
    put_escaped(b, value, len);
}

static void put_symbol_label(struct jfr_writer *w, size_t begin, const char *key, uint32_t id)
{
    size_t len = 0;
    const char *text = id ? w->answers.symbol(w->answers.context, id, &len) : NULL;
    if (text)
        put_label(&w->out, begin, key, text, len);
}

static void put_id(struct buffer *b, size_t begin, const char *key, const char *digits)
{
    if (*digits)
        put_label(b, begin, key, digits, strlen(digits));
}

static void put_context(struct jfr_writer *w, uint32_t id)
{
    struct jfr_context c = {0};
    if (w->answers.whose_work)
        w->answers.whose_work(w->answers.context, id, &c);
    struct buffer *b = entry(w, T_CONTEXT, id);
    buffer_u8(b, 3); /* UTF-8 */
    size_t size_at = b->len;
    buffer_be32(b, 0);
    size_t begin = b->len;
    put_symbol_label(w, begin, "endpoint=", c.endpoint);
    for (uint32_t i = 0; i < c.label_count; i++)
        put_symbol_label(w, begin, "", c.labels[i]);
    put_id(b, begin, "root_span_id=", c.root_span_id);
    put_id(b, begin, "trace_id=", c.trace_id);
    put_id(b, begin, "span_id=", c.span_id);
    buffer_patch_varint4(b, size_at, (uint32_t)(b->len - begin));
}

/* ---- what holds objects ---- */

static struct jfr_held_object held_object(const struct jfr_writer *w, uint32_t id)
{
    struct jfr_held_object h = {0};
    if (w->answers.held_object)
        w->answers.held_object(w->answers.context, id, &h);
    return h;
}

/* Collects what references need. References name objects and other references. All of them must be known before the first is written. */
static void need_holders(struct jfr_writer *w)
{
    for (size_t i = 0; i < w->references.pending_count; i++) {
        uint32_t id = w->references.pending[i];
        struct jfr_held_object h = held_object(w, id);
        bool is_held = h.holder && held_object(w, h.holder).holder;
        if (!id_set_need(&w->objects, h.holder) || !id_set_need(h.is_element ? &w->arrays : &w->fields, id) ||
            (is_held && !id_set_need(&w->references, h.holder)))
            w->out.failed = true;
    }
}

static void put_reference(struct jfr_writer *w, uint32_t id)
{
    struct jfr_held_object h = held_object(w, id);
    struct buffer *b = entry(w, T_REFERENCE, id);
    buffer_varint(b, h.is_element ? id : 0);
    buffer_varint(b, h.is_element ? 0 : id);
    buffer_varint(b, h.holder);
    buffer_varint(b, 0);
}

static void put_object(struct jfr_writer *w, uint32_t id)
{
    struct jfr_held_object h = held_object(w, id);
    struct buffer *b = entry(w, T_OLD_OBJECT, id);
    buffer_varint(b, id);
    buffer_varint(b, need_class(w, h.class_name));
    if (h.description)
        put_symbol_text(w, h.description);
    else
        jfr_put_string(b, NULL, 0);
    buffer_varint(b, h.holder ? id : 0);
}

static void put_array(struct jfr_writer *w, uint32_t id)
{
    struct jfr_held_object h = held_object(w, id);
    struct buffer *b = entry(w, T_OLD_OBJECT_ARRAY, id);
    buffer_varint(b, (uint32_t)h.array_size);
    buffer_varint(b, (uint32_t)h.array_index);
}

static void put_field(struct jfr_writer *w, uint32_t id)
{
    struct jfr_held_object h = held_object(w, id);
    struct buffer *b = entry(w, T_OLD_OBJECT_FIELD, id);
    put_symbol_text(w, h.field);
    buffer_varint(b, h.modifiers);
}

static void put_root(struct jfr_writer *w, uint32_t id)
{
    struct jfr_held_object h = held_object(w, id);
    struct buffer *b = entry(w, T_OLD_OBJECT_ROOT, id);
    put_symbol_text(w, h.root_description);
    jfr_put_string(b, h.root_system, h.root_system ? strlen(h.root_system) : 0);
    jfr_put_string(b, h.root_type, h.root_type ? strlen(h.root_type) : 0);
}

int jfr_pools_write_fixed(struct jfr_writer *w)
{
    for (uint32_t i = 0; i < JFR_FRAME_TYPES; i++)
        if (!jfr_frame_forms[i].mark)
            jfr_put_string(entry(w, T_FRAME_TYPE, jfr_frame_forms[i].key), jfr_frame_type_names[i], strlen(jfr_frame_type_names[i]));
    for (uint32_t i = 0; i < JFR_STATES; i++)
        jfr_put_string(entry(w, T_THREAD_STATE, i + 1), jfr_thread_state_names[i], strlen(jfr_thread_state_names[i]));
    jfr_put_string(entry(w, T_SYMBOL, NO_DESCRIPTOR_KEY), JFR_NO_DESCRIPTOR, strlen(JFR_NO_DESCRIPTOR));
    checkpoint_end(w);
    return w->out.failed ? -ENOMEM : 0;
}

/* All sets of a chunk. */
#define JFR_POOL_SETS(sets, w)                                                                                                             \
    struct id_set *sets[] = {&(w)->symbols, &(w)->strings, &(w)->references, &(w)->objects,                                                \
                             &(w)->arrays,  &(w)->fields,  &(w)->roots,      &(w)->contexts}
#define JFR_KEYED_SETS(sets, w) struct key_set *sets[] = {&(w)->stacks, &(w)->methods, &(w)->classes, &(w)->threads}

int jfr_pools_gather(struct jfr_writer *w)
{
    /* In this order each pool is complete before it is written: stacks name methods, methods and objects name classes, and classes name
     * symbols. */
    const struct {
        struct id_set *set;
        void (*put)(struct jfr_writer *w, uint32_t id);
        void (*sort)(struct jfr_writer *w); /* NULL = they stay in the order of arrival */
    } pools[] = {{&w->stacks.ids, put_stack, sort_stacks},
                 {&w->threads.ids, put_thread},
                 {&w->methods.ids, put_method},
                 {&w->references, put_reference},
                 {&w->objects, put_object},
                 {&w->arrays, put_array},
                 {&w->fields, put_field},
                 {&w->roots, put_root},
                 {&w->classes.ids, put_class},
                 {&w->symbols, put_symbol, sort_symbols},
                 {&w->strings, put_shared_string},
                 {&w->contexts, put_context}};
    need_holders(w);
    for (size_t p = 0; p < sizeof pools / sizeof pools[0]; p++) {
        if (pools[p].sort)
            pools[p].sort(w);
        for (size_t i = 0; i < pools[p].set->pending_count; i++) {
            pools[p].put(w, pools[p].set->pending[i]);
            int rc = entry_end(w);
            if (rc)
                return rc;
        }
        pools[p].set->pending_count = 0;
    }
    checkpoint_end(w);
    return w->out.failed ? -ENOMEM : 0;
}

void jfr_pools_clear(struct jfr_writer *w)
{
    JFR_POOL_SETS(sets, w);
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++)
        id_set_clear(sets[i]);
    JFR_KEYED_SETS(keyed, w);
    for (size_t i = 0; i < sizeof keyed / sizeof keyed[0]; i++)
        key_set_clear(keyed[i]);
}

void jfr_pools_deinit(struct jfr_writer *w)
{
    JFR_POOL_SETS(sets, w);
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++)
        id_set_deinit(sets[i]);
    JFR_KEYED_SETS(keyed, w);
    for (size_t i = 0; i < sizeof keyed / sizeof keyed[0]; i++)
        key_set_deinit(keyed[i]);
}
