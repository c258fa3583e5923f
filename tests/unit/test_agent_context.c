/* Threads' records: a reader that interrupts the writer at any instant finds the record of before, that of after, or one that says of
 * itself that it is being changed; what it cannot trust it books. The memory of records, and what becomes of contexts in a recording.
 * tier: quick
 * timeout: 60 */
#include "../tap.h"

#include "agent/context/keys.h"
#include "agent/context/records.h"
#include "agent/hot/context.h"
#include "agent/hot/fault.h"
#include "agent/record/contexts.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { STEPS_MAX = 2 * CONTEXT_BYTES, ROUNDS = 200000, THREADS = 4, TAKES = 20000 };

/* ---- a writer, store by store, in the order of java/context ---- */

static uint8_t *record;
static int stores, stop_at; /* the writer is cut off before its stop_at-th store */

static void store(size_t at, uint8_t byte)
{
    if (stores++ < stop_at)
        ((volatile uint8_t *)record)[at] = byte;
}

/* All of a record of generation n says n: ids, attribute, and how long that is. */
static uint8_t length_of(unsigned n)
{
    return (uint8_t)(1 + n % 40);
}

static void write_record(unsigned n)
{
    uint8_t len = length_of(n);
    stores = 0;
    store(CONTEXT_VALID, 0);
    for (size_t i = 0; i < CONTEXT_SPAN + 8; i++)
        store(i, (uint8_t)n);
    store(CONTEXT_SIZE, (uint8_t)(2 + len));
    store(CONTEXT_SIZE + 1, 0);
    store(CONTEXT_ATTRIBUTES, KEY_ENDPOINT);
    store(CONTEXT_ATTRIBUTES + 1, len);
    for (size_t i = 0; i < len; i++)
        store(CONTEXT_ATTRIBUTES + 2 + i, (uint8_t)n);
    store(CONTEXT_VALID, 1);
}

/* Of which generation the words are, all of them; -1 = of several. */
static int generation_of(const uint64_t *words, size_t count)
{
    const uint8_t *bytes = (const uint8_t *)(words + 1), *attributes = (const uint8_t *)(words + CONTEXT_HEAD_WORDS);
    uint8_t n = bytes[0], len = length_of(n);
    bool whole = words[0] == 2u + len && count == CONTEXT_HEAD_WORDS + (2u + len + 7) / 8 && attributes[0] == KEY_ENDPOINT &&
                 attributes[1] == len;
    for (size_t i = 0; i < CONTEXT_SPAN + 8; i++)
        whole = whole && bytes[i] == n;
    for (size_t i = 0; whole && i < len; i++)
        whole = attributes[2 + i] == n;
    return whole ? n : -1;
}

/* Every prefix of the writer's stores. */
static void test_every_instant(void)
{
    static uint8_t bytes[CONTEXT_BYTES];
    unsigned before = 0, after = 0, changing = 0, wrong = 0;
    record = bytes;
    for (stop_at = 0;; stop_at++) {
        int cut = stop_at;
        uint64_t words[CONTEXT_WORDS_MAX];
        struct context_head head;
        stop_at = STEPS_MAX;
        write_record(7);
        stop_at = cut;
        write_record(38);
        enum context_state state = context_head((uintptr_t)record, &head);
        size_t count = context_copy((uintptr_t)record, words);
        int n = count ? generation_of(words, count) : 0;
        before += n == 7;
        after += n == 38;
        changing += state == CONTEXT_IN_CHANGE && !count;
        wrong += count ? n != 7 && n != 38 : state != CONTEXT_IN_CHANGE;
        if (stop_at >= stores)
            break;
    }
    tap_ok(before == 1 && after == 1 && !wrong && (int)changing == stop_at - 1,
           "%d instants: %u of before, %u of after, %u in change, %u wrong", stop_at + 1, before, after, changing, wrong);
}

/* ---- a real signal in a real writer ---- */

static struct {
    struct candor_queue queue;
    _Atomic unsigned seen, none;
} taken;

static void take(int signal)
{
    candor_queue_begin(&taken.queue);
    size_t count = context_put(&taken.queue);
    candor_queue_put(&taken.queue, count);
    taken.seen += candor_queue_commit(&taken.queue) && count;
    taken.none += !count;
}

static void drain(unsigned *torn, unsigned *whole)
{
    uint64_t words[CONTEXT_WORDS_MAX + 1];
    size_t n;
    while ((n = candor_queue_read(&taken.queue, words, CONTEXT_WORDS_MAX + 1)) > 0) {
        bool good = words[n - 1] == n - 1 && (n == 1 || generation_of(words, n - 1) >= 0);
        *torn += !good;
        *whole += good && n > 1;
    }
}

static void test_signals(void)
{
    struct candor_pool pool;
    unsigned torn = 0, whole = 0;
    size_t bytes = candor_pool_bytes(64, 512);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct sigaction action = {.sa_handler = take, .sa_flags = SA_RESTART};
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct itimerspec often = {{0, 20000}, {0, 20000}};
    tap_ok(memory != MAP_FAILED && !candor_pool_init(&pool, memory, 64, 512) && records_take_own() >= 0, "a record of our own");
    candor_queue_init(&taken.queue, &pool);
    record = otel_thread_ctx_v1;
    stop_at = STEPS_MAX;
    write_record(1);
    uint64_t lost = atomic_load(&context_lost[CONTEXT_LOSS_IN_CHANGE]);
    sigaction(SIGUSR1, &action, NULL);
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &often, NULL);
    for (unsigned i = 0; i < ROUNDS; i++) {
        write_record(i % 255 + 1);
        if (i % 64 == 0)
            drain(&torn, &whole);
    }
    timer_delete(timer);
    drain(&torn, &whole);
    lost = atomic_load(&context_lost[CONTEXT_LOSS_IN_CHANGE]) - lost;
    tap_ok(whole > 0 && !torn && whole == taken.seen, "%u whole, %u torn", whole, torn);
    tap_ok(lost == taken.none, "%u without one, %u booked as in change", taken.none, (unsigned)lost);
    candor_queue_deinit(&taken.queue);
    munmap(memory, bytes);
}

/* ---- records that are none ---- */

static void test_unreadable(void)
{
    uint64_t words[CONTEXT_WORDS_MAX];
    struct context_head head;
    long page = sysconf(_SC_PAGESIZE);
    uint8_t *pages = mmap(NULL, 2 * (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    tap_ok(fault_install() == 0, "the handler of faults");
    tap_ok(context_head(0, &head) == CONTEXT_NONE, "no record");
    tap_ok(context_head(8, &head) == CONTEXT_NOT_READABLE, "an address that is none");
    munmap(pages + page, (size_t)page);
    uint8_t *at = pages + page - CONTEXT_ATTRIBUTES - 11;
    at[CONTEXT_VALID] = 1;
    at[CONTEXT_SIZE] = 11;
    at[CONTEXT_ATTRIBUTES + 1] = 9;
    memcpy(at + CONTEXT_ATTRIBUTES + 2, "GET /cart", 9);
    size_t count = context_copy((uintptr_t)at, words);
    tap_ok(count == CONTEXT_HEAD_WORDS + 2 && !memcmp((char *)(words + CONTEXT_HEAD_WORDS) + 2, "GET /cart", 9), "up to a page's end");
    at[CONTEXT_SIZE] = 12;
    tap_ok(context_copy((uintptr_t)at, words) == 0, "not beyond it");
    at[CONTEXT_SIZE] = 0;
    tap_ok(context_head((uintptr_t)at, &head) == CONTEXT_NONE, "a record that says nothing");
    at[CONTEXT_SPAN] = 1;
    tap_ok(context_head((uintptr_t)at, &head) == CONTEXT_THERE, "one byte of an id is something");
    uint32_t longest = CONTEXT_ATTRIBUTE_BYTES_MAX + 1;
    at[CONTEXT_SIZE] = (uint8_t)longest;
    at[CONTEXT_SIZE + 1] = (uint8_t)(longest >> 8);
    tap_ok(context_head((uintptr_t)at, &head) == CONTEXT_NOT_READABLE, "longer than a record may be");
    int changes = 0;
    for (int valid = 0; valid < 256; valid++) {
        at[CONTEXT_VALID] = (uint8_t)valid;
        changes += context_head((uintptr_t)at, &head) == CONTEXT_IN_CHANGE;
    }
    tap_ok(changes == 255, "any other value than 1 is a change");
    fault_remove();
    munmap(pages, (size_t)page);
}

/* ---- memory ---- */

static _Atomic uint8_t owners[RECORDS_MAX];
static _Atomic unsigned clashes;

static void *take_and_give(void *unused)
{
    for (int i = 0; i < TAKES; i++) {
        int mine[3];
        for (int k = 0; k < 3; k++) {
            mine[k] = records_take();
            clashes += mine[k] < 0 || atomic_fetch_add(&owners[mine[k]], 1) != 0;
        }
        for (int k = 0; k < 3; k++) {
            atomic_fetch_sub(&owners[mine[k]], 1);
            records_give(mine[k]);
        }
    }
    return NULL;
}

static void *own_record(void *out)
{
    *(int *)out = records_take_own();
    return records_take_own() == *(int *)out && otel_thread_ctx_v1 == (void *)records_address(*(int *)out) ? out : NULL;
}

static void test_memory(void)
{
    pthread_t threads[THREADS];
    int first = -1, second = -1;
    void *good = NULL;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, take_and_give, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    tap_ok(!clashes, "%d threads take and give: no record has two owners", THREADS);
    pthread_create(&threads[0], NULL, own_record, &first);
    pthread_join(threads[0], &good);
    tap_ok(good != NULL, "a thread's own is the same each time, and its pointer leads there");
    pthread_create(&threads[0], NULL, own_record, &second);
    pthread_join(threads[0], NULL);
    tap_ok(first >= 0 && second == first, "given back at its end: %d, %d", first, second);
    int mine = records_take_own();
    tap_ok(records_of_thread(getpid()) == records_address(mine), "others find it by the thread's id");
    records_point(records_address(second));
    tap_ok(records_of_thread(getpid()) == records_address(second), "also where it points elsewhere for a while");
    records_point(0);
    tap_ok(otel_thread_ctx_v1 == (void *)records_address(mine), "and then at its own again");
    tap_ok(!records_address(-1) && !records_address(RECORDS_MAX) && !records_of_thread(0), "no address of what is none");
}

/* ---- keys, and contexts of a recording ---- */

static size_t fill(uint64_t *words, uint8_t id, const char *attributes, size_t len)
{
    memset(words, 0, 8 * CONTEXT_WORDS_MAX);
    words[0] = len;
    memset(words + 1, id, 24);
    memcpy(words + CONTEXT_HEAD_WORDS, attributes, len);
    return CONTEXT_HEAD_WORDS + (len + 7) / 8;
}

static const char *text(const struct contexts *c, uint32_t string)
{
    return strtab_text(c->strings, string);
}

static void test_names(void)
{
    uint64_t words[CONTEXT_WORDS_MAX];
    struct strtab strings;
    struct contexts c;
    struct jfr_context one;
    char list[64];
    int added, tier = keys_add("tier", 4, &added);
    tap_ok(tier == KEYS_OF_OURS && added && keys_add("tier", 4, &added) == tier && !added, "a key has one number");
    tap_ok(keys_add("a=b", 3, &added) == -1 && keys_add("", 0, &added) == -1 && keys_add("a b", 3, &added) == -1, "no such keys");
    tap_ok(!strcmp(keys_name(KEY_ENDPOINT), "endpoint") && !strcmp(keys_name((uint32_t)tier), "tier") && !keys_name(KEYS_MAX), "names");

    strtab_init(&strings);
    contexts_init(&c, &strings);
    memcpy(list, "\0\tGET /cart", 11); /* KEY_ENDPOINT, which ends a string, and the length */
    int len = 11 + snprintf(list + 11, sizeof list - 11, "%c%c0123456789abcdef%c%ciron%c%cgold%c%cabc%c%cx", KEY_ROOT_SPAN_ID, 16, tier, 4,
                            tier, 4, 200, 3, tier, 9);
    uint32_t id = contexts_add(&c, words, fill(words, 0xab, list, (size_t)len));
    contexts_get(&c, id, &one);
    tap_ok(id == 1 && !strcmp(text(&c, one.endpoint), "GET /cart"), "the endpoint");
    tap_ok(!strcmp(one.trace_id, "abababababababababababababababab") && !strcmp(one.span_id, "abababababababab"), "ids: %s %s",
           one.trace_id, one.span_id);
    tap_ok(!strcmp(one.root_span_id, "0123456789abcdef"), "the root span");
    tap_ok(one.label_count == 1 && !strcmp(text(&c, one.labels[0]), "tier=gold"),
           "the last of two labels; what has no key, or does not fit, is left out");
    tap_ok(contexts_add(&c, words, fill(words, 0xab, list, (size_t)len)) == id, "the same context is the same");
    tap_ok(contexts_add(&c, words, fill(words, 0xac, list, (size_t)len)) == 2, "another span is another");
    tap_ok(contexts_add(&c, words, 0) == 0 && contexts_add(&c, words, fill(words, 0, "", 0)) == 0, "nothing is none");
    contexts_new_chunk(&c);
    tap_ok(contexts_add(&c, words, fill(words, 0xac, list, (size_t)len)) == 1, "a new chunk counts from 1");

    uint64_t lost = atomic_load(&context_lost[CONTEXT_LOSS_TOO_MANY]), distinct = 0;
    for (uint32_t i = 0; i < CONTEXTS_MAX + 100; i++) {
        size_t count = fill(words, 1, "\0\1x", 3);
        words[1] = i + 1;
        uint32_t number = contexts_add(&c, words, count);
        contexts_get(&c, number, &one);
        distinct += one.trace_id[0] != 0;
    }
    lost = atomic_load(&context_lost[CONTEXT_LOSS_TOO_MANY]) - lost;
    tap_ok(distinct == CONTEXTS_MAX - 1 && lost == 101, "too many: %u with ids, %u lost theirs", (unsigned)distinct, (unsigned)lost);
    tap_ok(!one.trace_id[0] && !strcmp(text(&c, one.endpoint), "x"), "and keep the rest");

    contexts_new_chunk(&c);
    lost = atomic_load(&context_lost[CONTEXT_LOSS_OTHER]);
    unsigned others = 0;
    for (uint32_t i = 0; i < CONTEXT_TEXTS_MAX + 50; i++) {
        char many[32] = {KEY_ENDPOINT, 8};
        snprintf(many + 2, sizeof many - 2, "%08u", i);
        contexts_get(&c, contexts_add(&c, words, fill(words, 1, many, 10)), &one);
        others += !strcmp(text(&c, one.endpoint), "(other)");
    }
    lost = atomic_load(&context_lost[CONTEXT_LOSS_OTHER]) - lost;
    tap_ok(others == lost && others >= 50 && others < 60, "too many texts: %u are (other)", others);
    tap_ok(strings.count < CONTEXT_TEXTS_MAX + 10, "and the table does not grow: %u", strings.count);
    contexts_deinit(&c);
    strtab_deinit(&strings);
}

int main(void)
{
    test_every_instant();
    test_unreadable();
    test_names();
    test_memory();
    test_signals();
    return tap_done();
}
