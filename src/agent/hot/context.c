#include "agent/hot/context.h"

#include "agent/hot/foreign.h"
#include "agent/hot/layout.h"
#include "agent/hot/load.h"

__thread void *otel_thread_ctx_v1;
_Atomic uint64_t context_lost[CONTEXT_LOSS_COUNT];

_Atomic uintptr_t *_Atomic context_of_tid;

enum { BITS_OF_VALID = 8, SIZE_SHIFT = 16, VALID = 1, TRIES = 3 };

enum context_state context_head(uintptr_t record, struct context_head *out)
{
    uint32_t state;
    if (!record)
        return CONTEXT_NONE;
    out->origin = (uint32_t)record & CONTEXT_FOREIGN;
    record -= out->origin;
    if (!load_u32(record + CONTEXT_VALID, &state))
        return CONTEXT_NOT_READABLE;
    if ((state & ((1u << BITS_OF_VALID) - 1)) != VALID)
        return CONTEXT_IN_CHANGE;
    out->size = state >> SIZE_SHIFT;
    if (!load_u64(record, &out->trace[0]) || !load_u64(record + 8, &out->trace[1]) || !load_u64(record + CONTEXT_SPAN, &out->span) ||
        out->size > CONTEXT_ATTRIBUTE_BYTES_MAX)
        return CONTEXT_NOT_READABLE;
    return out->size || out->trace[0] || out->trace[1] || out->span ? CONTEXT_THERE : CONTEXT_NONE;
}

/* Nothing after the record's last byte is read, because the record may end at the end of a page. */
bool context_word(uintptr_t record, const struct context_head *head, uint32_t i, uint64_t *word)
{
    uintptr_t at = record - head->origin + CONTEXT_ATTRIBUTES + 8 * (uintptr_t)i;
    uint32_t left = head->size - 8 * i;
    uint8_t byte;
    if (left >= 8)
        return load_u64(at, word);
    *word = 0;
    for (uint32_t k = 0; k < left; k++) {
        if (!load_u8(at + k, &byte))
            return false;
        *word |= (uint64_t)byte << 8 * k;
    }
    return true;
}

static uint32_t words_of(const struct context_head *head)
{
    return (head->size + 7) / 8;
}

static bool says_nothing(uintptr_t record)
{
    struct context_head head;
    return context_head(record, &head) == CONTEXT_NONE;
}

/* Returns our record, if it says anything, and otherwise that of another library. */
static uintptr_t record_of(uintptr_t own, uintptr_t thread_pointer)
{
    if (!says_nothing(own))
        return own;
    for (int i = 0; i < FOREIGN_MAX; i++) {
        uintptr_t foreign = foreign_record(thread_pointer, i);
        if (foreign && !says_nothing(foreign | CONTEXT_FOREIGN))
            return foreign | CONTEXT_FOREIGN;
    }
    return own;
}

static uint64_t first_word(const struct context_head *head)
{
    return head->size | (uint64_t)head->origin << CONTEXT_FOREIGN_SHIFT;
}

void context_lose(enum context_loss why)
{
    /* Relaxed, because no other memory depends on this number. */
    atomic_fetch_add_explicit(&context_lost[why], 1, memory_order_relaxed);
}

/* Attributes that cannot be read become zeros in the queue. Zeros are keys without a value, which count as no attributes. */
size_t context_put(struct candor_queue *q, uintptr_t thread_pointer)
{
    struct context_head head;
    uintptr_t record = record_of((uintptr_t)otel_thread_ctx_v1, thread_pointer);
    enum context_state state = context_head(record, &head);
    if (state == CONTEXT_IN_CHANGE)
        context_lose(CONTEXT_LOSS_IN_CHANGE);
    if (state == CONTEXT_NOT_READABLE)
        context_lose(CONTEXT_LOSS_UNREADABLE);
    if (state != CONTEXT_THERE)
        return 0;
    candor_queue_put(q, first_word(&head));
    candor_queue_put(q, head.trace[0]);
    candor_queue_put(q, head.trace[1]);
    candor_queue_put(q, head.span);
    bool readable = true;
    for (uint32_t i = 0; i < words_of(&head); i++) {
        uint64_t word = 0;
        readable = readable && context_word(record, &head, i, &word);
        candor_queue_put(q, readable ? word : 0);
    }
    if (!readable)
        context_lose(CONTEXT_LOSS_UNREADABLE);
    return CONTEXT_HEAD_WORDS + words_of(&head);
}

size_t context_copy(uintptr_t record, uint64_t words[CONTEXT_WORDS_MAX])
{
    struct context_head head;
    if (context_head(record, &head) != CONTEXT_THERE)
        return 0;
    words[0] = first_word(&head);
    words[1] = head.trace[0];
    words[2] = head.trace[1];
    words[3] = head.span;
    for (uint32_t i = 0; i < words_of(&head); i++)
        if (!context_word(record, &head, i, &words[CONTEXT_HEAD_WORDS + i]))
            return 0;
    return CONTEXT_HEAD_WORDS + words_of(&head);
}

static bool is_equal(const struct context_words *a, const struct context_words *b)
{
    size_t same = 0;
    while (a->count == b->count && same < a->count && a->words[same] == b->words[same])
        same++;
    return a->count == b->count && same == a->count;
}

/* Two equal copies, one after the other, are one context: the thread marks its record as being changed before it changes anything else, and
 * a copy begins with a look at that mark. */
bool context_copy_running(uintptr_t record, struct context_words *out)
{
    struct context_words again;
    struct context_head head;
    for (int try = 0; try < TRIES; try++) {
        out->count = context_copy(record, out->words);
        /* Acquire: the loads of the second copy come after those of the first. The owner's stores are in order, too. */
        atomic_thread_fence(memory_order_acquire);
        again.count = context_copy(record, again.words);
        enum context_state state = context_head(record, &head);
        bool is_none = state == CONTEXT_NONE || state == CONTEXT_NOT_READABLE;
        if (is_equal(out, &again) && (out->count ? state != CONTEXT_IN_CHANGE : is_none))
            return true;
    }
    out->count = 0;
    return false;
}

uintptr_t context_of_thread(int tid, uintptr_t thread_pointer)
{
    _Atomic uintptr_t *table = atomic_load(&context_of_tid);
    if (tid <= 0 || tid >= CONTEXT_TIDS_MAX)
        return 0;
    /* Acquire: pairs with the release of context_point. */
    return record_of(table ? atomic_load_explicit(&table[tid], memory_order_acquire) : 0, thread_pointer);
}

uintptr_t context_of_java_thread(uintptr_t java_thread)
{
    uint64_t os_thread, tid;
    bool found = java_thread && vm_layout.usable && load_field(java_thread, vm_layout.thread_osthread, &os_thread) &&
                 load_field(os_thread, vm_layout.osthread_tid, &tid) && tid < CONTEXT_TIDS_MAX;
    return found ? context_of_thread((int)tid, 0) : 0;
}

void context_point(uintptr_t record, _Atomic uintptr_t *place)
{
    /* A signal may come at any instant. Its handler sees the former record or this one, which is already complete. */
    atomic_signal_fence(memory_order_seq_cst);
    *(void *volatile *)&otel_thread_ctx_v1 = (void *)record;
    atomic_signal_fence(memory_order_seq_cst);
    /* Release: pairs with the collector's acquire, which then sees the record as it was when this thread began to use it. */
    if (place)
        atomic_store_explicit(place, record, memory_order_release);
}
