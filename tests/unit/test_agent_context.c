/* Threads' records of contexts. A reader that interrupts the writer at any instant finds the record from before, the record from after,
 * or a record that says that it is being changed; it counts records that it cannot trust. Also the memory of records, and what happens
 * to contexts in a recording.
 * tier: quick
 * timeout: 60 */
#include "../tap.h"

#include "agent/context/foreign_keys.h"
#include "agent/context/keys.h"
#include "agent/context/owners.h"
#include "agent/context/publish.h"
#include "agent/context/records.h"
#include "agent/hot/context.h"
#include "agent/hot/fault/fault.h"
#include "agent/hot/foreign.h"
#include "agent/hot/unwind/frame.h"
#include "agent/record/names/contexts.h"

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
static int stores, stop_at; /* the writer is stopped before its stop_at-th store */

static void store(size_t at, uint8_t byte)
{
    if (stores++ < stop_at)
        ((volatile uint8_t *)record)[at] = byte;
}

/* Everything in a record of generation n says n: the ids, the attribute, and its length. */
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

/* Returns the generation of the words, if it is the same in all of them; -1 = several. */
static int generation_of(const uint64_t *words, size_t count)
{
    const uint8_t *bytes = (const uint8_t *)(words + 1), *attributes = (const uint8_t *)(words + CONTEXT_HEAD_WORDS);
    uint8_t n = bytes[0], len = length_of(n);
    bool whole =
        words[0] == 2u + len && count == CONTEXT_HEAD_WORDS + (2u + len + 7) / 8 && attributes[0] == KEY_ENDPOINT && attributes[1] == len;
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

/* ---- a reader on another thread, while the writer runs ---- */

enum { COPIES = 100000 };
static _Atomic bool may_write;

/* Writes as Java does: each store after the one that marks the record is ordered after it. */
static void *write_on(void *unused)
{
    stop_at = STEPS_MAX;
    for (unsigned n = 0; atomic_load(&may_write); n++)
        write_record(n % 200 + 1);
    return NULL;
}

static void test_running(void)
{
    static uint8_t bytes[CONTEXT_BYTES];
    struct context_words copy;
    unsigned whole = 0, torn = 0, none = 0, empty = 0;
    pthread_t writer;
    record = bytes;
    tap_ok(context_copy_running(0, &copy) && !copy.count, "a thread without a record has no context, and loses none");
    stop_at = STEPS_MAX;
    write_record(5);
    atomic_store(&may_write, true);
    pthread_create(&writer, NULL, write_on, NULL);
    for (int i = 0; i < COPIES; i++) {
        bool known = context_copy_running((uintptr_t)record, &copy);
        none += !known && !copy.count;
        empty += known && !copy.count;
        torn += known && copy.count && generation_of(copy.words, copy.count) < 0;
        whole += known && copy.count;
    }
    atomic_store(&may_write, false);
    pthread_join(writer, NULL);
    tap_ok(!torn && !empty && whole + none == COPIES, "copies of a record that changes: %u whole, %u torn, %u without any, %u none", whole,
           torn, empty, none);
    tap_ok(context_copy_running((uintptr_t)record, &copy) && generation_of(copy.words, copy.count) > 0, "and one of a record at rest");
}

/* ---- a real signal in a real writer ---- */

static struct {
    struct candor_queue queue;
    _Atomic unsigned seen, none;
} taken;

static void take(int signal)
{
    candor_queue_begin(&taken.queue);
    size_t count = context_put(&taken.queue, 0);
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

/* ---- invalid records ---- */

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
    uint8_t *at = pages + page - CONTEXT_ATTRIBUTES - 12; /* even, as every record's address */
    at[CONTEXT_VALID] = 1;
    at[CONTEXT_SIZE] = 12;
    at[CONTEXT_ATTRIBUTES + 1] = 10;
    memcpy(at + CONTEXT_ATTRIBUTES + 2, "GET /carts", 10);
    size_t count = context_copy((uintptr_t)at, words);
    tap_ok(count == CONTEXT_HEAD_WORDS + 2 && !memcmp((char *)(words + CONTEXT_HEAD_WORDS) + 2, "GET /carts", 10), "up to a page's end");
    at[CONTEXT_SIZE] = 13;
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
    tap_ok(context_of_thread(getpid(), 0) == records_address(mine), "others find it by the thread's id");
    records_point(records_address(second));
    tap_ok(context_of_thread(getpid(), 0) == records_address(second), "also where it points elsewhere for a while");
    records_point(0);
    tap_ok(otel_thread_ctx_v1 == (void *)records_address(mine), "and then at its own again");
    tap_ok(!records_address(-1) && !records_address(RECORDS_MAX) && !context_of_thread(0, 0), "no address of what is none");
}

/* ---- which record belongs to which virtual thread ---- */

static _Atomic unsigned strangers;

/* Threads whose ids lie between those of others, and which begin and end. */
static void *come_and_go(void *first)
{
    uint64_t base = (uint64_t)(uintptr_t)first;
    for (uint64_t i = 0; i < TAKES; i++) {
        uint64_t id = base + i % 64 * THREADS;
        int mine = (int)(id % RECORDS_MAX);
        strangers += owners_find(id) != -1 || !owners_add(id, mine) || owners_find(id) != mine;
        owners_remove(id);
    }
    return NULL;
}

static void test_owners(void)
{
    enum { FIRST = 1000000 };
    pthread_t threads[THREADS];
    unsigned added = 0, found = 0, left = 0;
    for (int i = 0; i < RECORDS_MAX; i++)
        added += owners_add(FIRST + (uint64_t)i, i);
    for (int i = 0; i < RECORDS_MAX; i++)
        found += owners_find(FIRST + (uint64_t)i) == i;
    tap_ok(added == RECORDS_MAX && found == added, "as many threads as there are records: %u added, %u found", added, found);
    tap_ok(owners_find(FIRST - 1) == -1 && owners_find(0) == -1 && !owners_add(0, 1), "and no others");
    tap_ok(!owners_add(FIRST + 1, 7) && owners_find(FIRST + 1) == 1, "who has one gets no second");
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, come_and_go, (void *)(i + 1));
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    tap_ok(!strangers, "threads that come and go beside them find their own: %u did not", strangers);
    for (int i = 0; i < RECORDS_MAX; i++)
        owners_remove(FIRST + (uint64_t)i);
    for (int i = 0; i < RECORDS_MAX; i++)
        left += owners_find(FIRST + (uint64_t)i) != -1;
    tap_ok(!left, "who has gone has none: %u have", left);
}

/* ---- the process context ---- */

struct process_context {
    char signature[8];
    uint32_t version, size;
    uint64_t published_at, payload;
};

/* Where the mapping is; NULL unless there is exactly one. */
static const struct process_context *find_process_context(void)
{
    char line[512];
    uintptr_t at = 0;
    int found = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        if (strstr(line, "OTEL_CTX")) {
            at = (uintptr_t)strtoull(line, NULL, 16);
            found++;
        }
    if (maps)
        fclose(maps);
    return found == 1 ? (const struct process_context *)at : NULL;
}

static size_t varint(const uint8_t **at, const uint8_t *end)
{
    size_t number = 0;
    for (int shift = 0; *at < end && shift < 32; shift += 7) {
        uint8_t byte = *(*at)++;
        number |= (size_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            break;
    }
    return number;
}

/* The `nth` field with that number in a message that consists only of fields with a length; *size 0: there is none. *whole becomes -1 if
 * the fields do not end where the message does. */
static const uint8_t *field(const uint8_t *at, size_t len, unsigned number, int nth, size_t *size, int *whole)
{
    const uint8_t *end = at + len, *found = NULL;
    *size = 0;
    while (at < end) {
        size_t tag = varint(&at, end), n = varint(&at, end);
        if ((tag & 7) != 2 || n > (size_t)(end - at)) {
            *whole = -1;
            return NULL;
        }
        if (tag >> 3 == number && !nth--) {
            found = at;
            *size = n;
        }
        at += n;
    }
    return found;
}

/* ProcessContext.attributes[1].value.array_value.values[i].string_value */
static const uint8_t *published_key(const struct process_context *c, int i, size_t *size, int *whole)
{
    const uint8_t *pair = field((const uint8_t *)(uintptr_t)c->payload, c->size, 2, 1, size, whole);
    const uint8_t *value = pair ? field(pair, *size, 2, 0, size, whole) : NULL;
    const uint8_t *array = value ? field(value, *size, 5, 0, size, whole) : NULL;
    const uint8_t *one = array ? field(array, *size, 1, i, size, whole) : NULL;
    return one ? field(one, *size, 1, 0, size, whole) : NULL;
}

static bool names_key(const struct process_context *c, int i, const char *name, int *whole)
{
    size_t size;
    const uint8_t *text = published_key(c, i, &size, whole);
    return text && size == strlen(name) && !memcmp(text, name, size);
}

static void test_publish(void)
{
    int added, whole = 0;
    size_t size;
    tap_ok(publish_keys() == 0, "published");
    const struct process_context *c = find_process_context();
    if (!tap_ok(c != NULL, "one mapping OTEL_CTX"))
        return;
    uint64_t first = c->published_at, payload = c->payload;
    tap_ok(!memcmp(c->signature, "OTEL_CTX", 8) && c->version == 2 && first, "its head");
    tap_ok(names_key(c, KEY_ENDPOINT, "endpoint", &whole) && names_key(c, KEY_ROOT_SPAN_ID, "root_span_id", &whole) && !whole,
           "the keys of ours");
    tap_ok(keys_add("region", 6, &added) >= KEYS_OF_OURS && added && publish_keys() == 0 && find_process_context() == c,
           "one more key, in the same mapping");
    tap_ok(c->published_at > first && c->payload != payload, "published again, beside what was there");
    uint32_t last = keys_count() - 1;
    tap_ok(names_key(c, (int)last, "region", &whole) && !published_key(c, (int)last + 1, &size, &whole) && !whole,
           "with the new key, the last");
    char longest[KEY_BYTES_MAX + 1];
    while (keys_count() < KEYS_MAX) {
        snprintf(longest, sizeof longest, "%0*u", KEY_BYTES_MAX, keys_count());
        keys_add(longest, KEY_BYTES_MAX, &added);
    }
    tap_ok(keys_add("beyond", 6, &added) == -1 && !added, "no more keys than %d", KEYS_MAX);
    tap_ok(publish_keys() == 0 && names_key(c, KEYS_MAX - 1, longest, &whole) && !whole, "the longest keys have room, all of them");
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
    uint64_t left_out = atomic_load(&context_lost[CONTEXT_LOSS_ATTRIBUTES]);
    uint32_t id = contexts_add(&c, words, fill(words, 0xab, list, (size_t)len));
    contexts_get(&c, id, &one);
    tap_ok(atomic_load(&context_lost[CONTEXT_LOSS_ATTRIBUTES]) == left_out + 1, "a sample with a key without a name is counted");
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

/* ---- other libraries' records ---- */

/* As tests/java/ForeignContexts.java makes it: {resource, schema version, keys "tier", "http.route", "a b", "root_span_id"}. */
#define KEY_MAP "\x12\x50\x0a\x1dthreadlocal.attribute_key_map\x12\x2f\x2a\x2d"
#define SCHEMA  "\x0a\x02\x08\x01\x12\x2e\x0a\x1athreadlocal.schema_version\x12\x10\x0a\x0etlsdesc_v1_dev"
static const char foreign_payload[] = SCHEMA KEY_MAP "\x0a\x06\x0a\x04tier\x0a\x0c\x0a\x0ahttp.route\x0a\x05\x0a\x03"
                                                     "a b\x0a\x0e\x0a\x0croot_span_id";

static void test_foreign_keys(void)
{
    const uint8_t *payload = (const uint8_t *)foreign_payload;
    size_t size = sizeof foreign_payload - 1;
    static uint8_t other[sizeof foreign_payload];
    for (size_t cut = 0; cut < size; cut++) {
        uint8_t *exact = malloc(cut + 1);
        memcpy(exact, payload, cut);
        foreign_keys_read(exact, cut);
        for (size_t i = 0; i < cut; i++) {
            exact[i] ^= 0x81;
            foreign_keys_read(exact, cut);
            exact[i] ^= 0x81;
        }
        free(exact);
    }
    memcpy(other, payload, size);
    *(uint8_t *)memmem(other, size, "tlsdesc", 7) = 'x';
    tap_ok(!foreign_keys_read(other, size), "records of another form are not read");
    tap_ok(foreign_keys_read(payload, size), "those of this form are, and damaged payloads do no harm");
    tap_ok(!strcmp(foreign_key_name(0), "tier") && !strcmp(foreign_key_name(3), "root_span_id"), "keys have names");
    tap_ok(!foreign_key_name(2) && !foreign_key_name(4) && !foreign_key_name(UINT32_MAX), "invalid names and unknown keys have none");
}

/* A library's mapping comes, and goes when the library is unloaded. */
static void test_foreign_mapping(void)
{
    struct {
        char signature[8];
        uint32_t version, size;
        uint64_t published_at, payload;
        char bytes[sizeof foreign_payload];
    } * header;
    int fd = memfd_create("OTEL_CTX", MFD_CLOEXEC);
    bool is_made = !ftruncate(fd, sizeof *header);
    header = mmap(NULL, sizeof *header, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    close(fd);
    memcpy(header->bytes, foreign_payload, sizeof foreign_payload);
    memcpy(header->signature, "OTEL_CTX", sizeof header->signature);
    header->version = 2;
    header->size = sizeof foreign_payload - 1;
    header->payload = (uintptr_t)header->bytes;
    header->published_at = 1;
    tap_ok(is_made && foreign_keys_update() && foreign_key_name(0) && !strcmp(foreign_key_name(0), "tier"), "a process has a context");
    *(char *)memmem(header->bytes, sizeof header->bytes, "tlsdesc", 7) = 'x';
    header->published_at = 2;
    tap_ok(!foreign_keys_update(), "it changes to another form");
    munmap(header, sizeof *header);
    fault_install();
    tap_ok(foreign_keys_update() && !foreign_key_name(0), "when it is gone, neither its form nor its names count");
    fault_remove();
    foreign_keys_read((const uint8_t *)foreign_payload, sizeof foreign_payload - 1);
}

static void test_foreign_names(void)
{
    static const char list[] = "\0\4gold\0\2\xff\xfe\1\5/cart\3\20"
                               "0123456789abcdef\7\1x";
    uint64_t words[CONTEXT_WORDS_MAX];
    struct strtab strings;
    struct contexts c;
    struct jfr_context one;
    strtab_init(&strings);
    contexts_init(&c, &strings);
    size_t count = fill(words, 0xab, list, sizeof list - 1);
    words[0] |= 1ULL << CONTEXT_FOREIGN_SHIFT;
    contexts_get(&c, contexts_add(&c, words, count), &one);
    tap_ok(one.label_count == 1 && !strcmp(text(&c, one.labels[0]), "tier=gold"), "a label; text that is not UTF-8 is left out");
    tap_ok(!strcmp(text(&c, one.endpoint), "/cart") && !strcmp(one.root_span_id, "0123456789abcdef"), "the endpoint and the root span");
    contexts_deinit(&c);
    strtab_deinit(&strings);
}

/* More labels than a context has room for: the first ones stay, and the sample is counted. */
static void test_many_labels(void)
{
    static const char head[] = SCHEMA "\x12\x89\x01\x0a\x1dthreadlocal.attribute_key_map\x12\x68\x2a\x66";
    enum { MANY = JFR_CONTEXT_LABELS_MAX + 1, ONE = 6 };
    char payload[sizeof head - 1 + MANY * ONE + 1], list[MANY * 3 + 1];
    uint64_t words[CONTEXT_WORDS_MAX], left_out[3];
    struct strtab strings;
    struct contexts c;
    struct jfr_context one[2];
    memcpy(payload, head, sizeof head);
    for (int i = 0; i < MANY; i++) {
        snprintf(payload + sizeof head - 1 + i * ONE, ONE + 1, "\x0a\x04\x0a\x02k%c", 'a' + i);
        memcpy(list + i * 3, (char[]){(char)i, 1, 'x'}, 3);
    }
    bool is_read = foreign_keys_read((const uint8_t *)payload, sizeof payload - 1);
    strtab_init(&strings);
    contexts_init(&c, &strings);
    left_out[0] = atomic_load(&context_lost[CONTEXT_LOSS_ATTRIBUTES]);
    for (int i = 0; i < 2; i++) {
        size_t count = fill(words, 1, list, (size_t)(MANY - 1 + i) * 3);
        words[0] |= 1ULL << CONTEXT_FOREIGN_SHIFT;
        contexts_get(&c, contexts_add(&c, words, count), &one[i]);
        left_out[i + 1] = atomic_load(&context_lost[CONTEXT_LOSS_ATTRIBUTES]);
    }
    tap_ok(is_read && one[0].label_count == JFR_CONTEXT_LABELS_MAX && left_out[1] == left_out[0], "%d labels have room", MANY - 1);
    tap_ok(one[1].label_count == JFR_CONTEXT_LABELS_MAX && !strcmp(text(&c, one[1].labels[0]), "ka=x") && left_out[2] == left_out[1] + 1,
           "of one more the first ones stay, and the sample is counted");
    contexts_deinit(&c);
    strtab_deinit(&strings);
}

static __thread void *foreign_variable, *second_variable;

/* The variable of this program lies at a fixed place, and in the first block of the thread's vector. */
static void *read_foreign(void *unused)
{
    uintptr_t thread_pointer = frame_thread_pointer(), variable = (uintptr_t)&foreign_variable, block = 0;
    struct context_head head;
    bool has_block = foreign_block(thread_pointer, 1, &block);
    uint64_t places[] = {foreign_fixed((intptr_t)(variable - thread_pointer)), foreign_in_block(1, variable - block)};
    tap_ok(has_block && !foreign_block(thread_pointer, 60000, &block), "a thread has the blocks of its libraries, and no others");
    for (size_t i = 0; i < 2; i++) {
        atomic_store(&foreign_places[i], places[i]);
        foreign_variable = record;
        uintptr_t found = foreign_record(thread_pointer, (int)i);
        tap_ok(found == (uintptr_t)record && context_head(found | CONTEXT_FOREIGN, &head) == CONTEXT_THERE && head.origin,
               "place %zu: its record is found", i);
        foreign_variable = (uint8_t *)record + 1;
        bool odd = foreign_record(thread_pointer, (int)i);
        foreign_variable = NULL;
        tap_ok(!odd && !foreign_record(thread_pointer, (int)i), "place %zu: an odd address, or none, is no record", i);
        atomic_store(&foreign_places[i], 0);
    }
    static uint64_t empty[CONTEXT_BYTES / 8];
    ((uint8_t *)empty)[CONTEXT_VALID] = 1;
    foreign_variable = empty;
    second_variable = record;
    atomic_store(&foreign_places[0], places[0]);
    atomic_store(&foreign_places[1], foreign_fixed((intptr_t)((uintptr_t)&second_variable - thread_pointer)));
    tap_ok(context_of_thread((int)gettid(), thread_pointer) == ((uintptr_t)record | CONTEXT_FOREIGN),
           "an empty record of one library does not hide that of another");
    atomic_store(&foreign_places[0], 0);
    atomic_store(&foreign_places[1], 0);
    tap_ok(!foreign_fixed((intptr_t)1 << 40) && !foreign_in_block(0, 0) && !foreign_in_block(1, (size_t)1 << 40), "others do not fit");
    return NULL;
}

static void test_foreign_places(void)
{
    pthread_t thread;
    stop_at = STEPS_MAX;
    write_record(7);
    pthread_create(&thread, NULL, read_foreign, NULL);
    pthread_join(thread, NULL);
}

int main(void)
{
    test_every_instant();
    test_unreadable();
    test_running();
    test_names();
    test_publish();
    test_memory();
    test_owners();
    test_signals();
    test_foreign_keys();
    test_foreign_mapping();
    test_foreign_names();
    test_many_labels();
    test_foreign_places();
    return tap_done();
}
