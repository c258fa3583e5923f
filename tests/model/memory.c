/*
 * The memory model is RC11 without sequentially consistent operations and fences (the explorer refuses those): release, acquire and
 * relaxed operations, modification order per object, release sequences as in C++20 (the head and the read-modify-writes after it), and
 * no load that depends on itself (po and rf together have no cycle).
 *
 * It is run as a machine: operations happen one by one, in some order that contains program order and reads-from. Such an order exists
 * for each RC11 execution, so exploring all orders, and all ways of each operation, reaches all executions:
 *
 *   load    reads any store of its object that is not older, in modification order, than the newest that its thread has seen
 *   store   goes anywhere into the modification order after the newest that its thread has seen, but never between a
 *           read-modify-write and the store which that has read
 *   rmw     reads as a load does, a store that no other read-modify-write has read, and goes directly after it
 *
 * A store carries a message. If it releases, the message is the view of its thread (the newest store seen of each object, and a vector
 * clock), otherwise it is empty; a read-modify-write passes on the message that it has read. An acquiring load adds the message to the
 * view of its thread.
 *
 * Plain accesses are checked for races with vector clocks, in words of 8 bytes. Without a race a plain load has only one store to read,
 * which is the content of the real memory.
 */
#include "memory.h"

#include "base/map.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OBJECTS 24
#define STORES  120  /* per execution */
#define HISTORY 60   /* per object */
#define WORDS   1024 /* of watched memory */

struct view {
    uint8_t seen[OBJECTS];          /* newest store seen, by number; 0: the object's initial value */
    uint16_t clock[MEMORY_THREADS]; /* number of steps of each thread that happened before */
};

struct store {
    uint64_t value;
    uint64_t identity; /* the same in every interleaving: thread and number in program order */
    struct view message;
    uint8_t thread;
    uint8_t position; /* in the object's history */
    bool rmw;
};

struct object {
    uint64_t *address;
    uint64_t history_hash;
    uint8_t count;
    uint8_t history[HISTORY]; /* store numbers in modification order; the first is the initial value, number 0 */
    uint64_t initial;
};

struct word {
    uint16_t write_clock;
    uint8_t writer;
    uint16_t read_clock[MEMORY_THREADS];
};

static struct {
    uint64_t *shared;
    size_t words;
    unsigned object_count, store_count;
    struct object objects[OBJECTS];
    struct store stores[STORES];
    struct view views[MEMORY_THREADS];
    uint64_t thread_hash[MEMORY_THREADS];
    uint32_t thread_ops[MEMORY_THREADS];
    struct word shadow[WORDS];
} m;

static void limit(const char *what)
{
    fprintf(stderr, "model: too many %s\n", what);
    exit(3);
}

/* Not symmetric: (1, 2) and (2, 1) must differ. */
static uint64_t mix(uint64_t a, uint64_t b)
{
    return hash_mix(hash_mix(a + 0x9e3779b97f4a7c15ULL) ^ b);
}

void memory_reset(void *shared, size_t bytes)
{
    m.shared = shared;
    m.words = bytes / 8;
    if (m.words > WORDS)
        limit("words of shared memory");
    m.object_count = 0;
    m.store_count = 1; /* number 0 stands for the initial value of each object */
    memset(m.views, 0, sizeof m.views);
    memset(m.thread_hash, 0, sizeof m.thread_hash);
    memset(m.thread_ops, 0, sizeof m.thread_ops);
    memset(m.shadow, 0, m.words * sizeof *m.shadow);
    for (unsigned t = 0; t < MEMORY_THREADS; t++)
        m.views[t].clock[t] = 1;
}

/* ---- atomic objects ---- */

static struct object *object_at(uint64_t *address)
{
    struct object *o;

    for (unsigned i = 0; i < m.object_count; i++) {
        if (m.objects[i].address == address)
            return &m.objects[i];
    }
    if (m.object_count == OBJECTS)
        limit("atomic objects");
    o = &m.objects[m.object_count++];
    o->address = address;
    o->count = 1;
    o->history[0] = 0;
    o->initial = *address;
    o->history_hash = 0;
    for (unsigned t = 0; t < MEMORY_THREADS; t++)
        m.views[t].seen[o - m.objects] = 0;
    for (unsigned s = 0; s < m.store_count; s++)
        m.stores[s].message.seen[o - m.objects] = 0;
    return o;
}

static unsigned number(const struct object *o)
{
    return (unsigned)(o - m.objects);
}

static unsigned position_of(unsigned store)
{
    return store == 0 ? 0 : m.stores[store].position;
}

static uint64_t value_at(const struct object *o, unsigned position)
{
    return position == 0 ? o->initial : m.stores[o->history[position]].value;
}

/* No read-modify-write has read this store, so another one, or a plain store, may go directly after it. */
static bool is_free(const struct object *o, unsigned position)
{
    return position + 1 == o->count || !m.stores[o->history[position + 1]].rmw;
}

static bool is_rmw(const struct memory_op *op)
{
    return op->kind != OP_LOAD && op->kind != OP_STORE;
}

static bool swaps(const struct object *o, const struct memory_op *op, unsigned position)
{
    return op->kind != OP_CAS || op->force || value_at(o, position) == op->expected;
}

/* Whether the operation can read (OP_STORE: go directly after) the store at this position. */
static bool is_possible(const struct object *o, const struct memory_op *op, unsigned position)
{
    if (op->kind == OP_LOAD || (is_rmw(op) && !swaps(o, op, position)))
        return true;
    return is_free(o, position);
}

unsigned memory_ways(unsigned thread, const struct memory_op *op)
{
    const struct object *o = object_at(op->address);
    unsigned oldest = position_of(m.views[thread].seen[number(o)]);
    unsigned ways = 0;

    for (unsigned i = oldest; i < o->count; i++)
        ways += is_possible(o, op, i);
    return ways;
}

/* The position for this way; ways are counted from the newest store down. */
static unsigned position_of_way(const struct object *o, const struct memory_op *op, unsigned way)
{
    unsigned i = o->count - 1u;

    for (;; i--) {
        if (is_possible(o, op, i) && way-- == 0)
            return i;
    }
}

static bool acquires(int order)
{
    return order == memory_order_acquire || order == memory_order_consume || order == memory_order_acq_rel;
}

static bool releases(int order)
{
    return order == memory_order_release || order == memory_order_acq_rel;
}

static void join(struct view *into, const struct view *from)
{
    for (unsigned i = 0; i < m.object_count; i++) {
        if (position_of(from->seen[i]) > position_of(into->seen[i]))
            into->seen[i] = from->seen[i];
    }
    for (unsigned t = 0; t < MEMORY_THREADS; t++) {
        if (from->clock[t] > into->clock[t])
            into->clock[t] = from->clock[t];
    }
}

void memory_order_after(unsigned to, unsigned from)
{
    join(&m.views[to], &m.views[from]);
    m.views[from].clock[from]++;
}

static uint64_t new_value(const struct memory_op *op, uint64_t old)
{
    switch (op->kind) {
    case OP_ADD:
        return old + op->operand;
    case OP_SUB:
        return old - op->operand;
    case OP_AND:
        return old & op->operand;
    case OP_OR:
        return old | op->operand;
    case OP_XOR:
        return old ^ op->operand;
    default:
        return op->operand;
    }
}

static void hash_history(struct object *o)
{
    uint64_t h = (uint64_t)(o->address - m.shared);

    for (unsigned i = 1; i < o->count; i++)
        h = mix(h, m.stores[o->history[i]].identity);
    o->history_hash = h;
}

/* Puts a new store after the given position of the history; the caller fills in its message. */
static struct store *insert(unsigned thread, struct object *o, unsigned behind, uint64_t value)
{
    unsigned id = m.store_count++;
    struct store *s = &m.stores[id];

    if (id >= STORES || o->count == HISTORY)
        limit("stores");
    memmove(&o->history[behind + 2], &o->history[behind + 1], o->count - behind - 1);
    o->history[behind + 1] = (uint8_t)id;
    o->count++;
    for (unsigned i = behind + 1; i < o->count; i++)
        m.stores[o->history[i]].position = (uint8_t)i;
    *s = (struct store){.value = value, .thread = (uint8_t)thread, .position = (uint8_t)(behind + 1)};
    s->identity = mix(thread, m.thread_ops[thread]);
    hash_history(o);
    *o->address = value_at(o, o->count - 1u); /* for plain reads of the main thread, when all threads have ended */
    return s;
}

struct memory_outcome memory_perform(unsigned thread, const struct memory_op *op, unsigned way)
{
    struct object *o = object_at(op->address);
    struct view *view = &m.views[thread];
    unsigned position = position_of_way(o, op, way);
    unsigned source = o->history[position];
    bool reads = op->kind != OP_STORE;
    bool stores = op->kind != OP_LOAD && swaps(o, op, position);
    int order = op->kind == OP_CAS && !stores ? op->failure_order : op->order;
    struct memory_outcome outcome = {value_at(o, position), source ? m.stores[source].thread : 0, stores};

    m.thread_ops[thread]++;
    m.thread_hash[thread] = mix(m.thread_hash[thread], reads ? (source ? m.stores[source].identity : 1) : 2);
    if (reads) {
        if (position > position_of(view->seen[number(o)]))
            view->seen[number(o)] = (uint8_t)source;
        if (source && acquires(order))
            join(view, &m.stores[source].message);
    }
    if (stores) {
        struct store *s = insert(thread, o, position, new_value(op, outcome.value));

        view->seen[number(o)] = (uint8_t)(s - m.stores);
        if (is_rmw(op)) {
            s->rmw = true;
            if (source)
                s->message = m.stores[source].message;
        }
        if (releases(order))
            join(&s->message, view);
        s->message.seen[number(o)] = (uint8_t)(s - m.stores);
        if (!reads)
            outcome = (struct memory_outcome){s->value, thread, true};
    }
    view->clock[thread]++;
    return outcome;
}

/* ---- plain memory ---- */

static const char *access_word(unsigned thread, struct word *w, bool write)
{
    const uint16_t *clock = m.views[thread].clock;

    if (w->write_clock > clock[w->writer])
        return write ? "a write that races with a write" : "a read that races with a write";
    if (!write) {
        w->read_clock[thread] = clock[thread];
        return NULL;
    }
    for (unsigned t = 0; t < MEMORY_THREADS; t++) {
        if (w->read_clock[t] > clock[t])
            return "a write that races with a read";
    }
    w->write_clock = clock[thread];
    w->writer = (uint8_t)thread;
    return NULL;
}

const char *memory_access(unsigned thread, const void *address, size_t size, bool write)
{
    uintptr_t offset = (uintptr_t)address - (uintptr_t)m.shared;

    if (offset >= m.words * 8)
        return NULL;
    for (uintptr_t i = offset / 8; i <= (offset + size - 1) / 8 && i < m.words; i++) {
        const char *race = access_word(thread, &m.shadow[i], write);

        if (race)
            return race;
        for (unsigned k = 0; thread != 0 && k < m.object_count; k++) {
            if (m.objects[k].address == m.shared + i)
                return "a plain access to an atomic object";
        }
    }
    return NULL;
}

uint64_t memory_hash(void)
{
    uint64_t h = 0;

    for (unsigned t = 0; t < MEMORY_THREADS; t++)
        h = mix(h, m.thread_hash[t]);
    for (unsigned i = 0; i < m.object_count; i++)
        h += m.objects[i].history_hash; /* a sum, because objects are numbered in the order in which they are met */
    return h;
}
