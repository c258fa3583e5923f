/* The faults of libcandor-faulty.so (src/agent/hot/inject.h). The environment chooses them when the library is loaded:
 *
 *   CANDOR_INJECT=loads=P,walks=N    each guarded load faults with probability P; N random walks after each sample
 *   CANDOR_INJECT=crash=HOW,in=PLACE,after=N    makes this mistake when the agent comes to that place for the N-th time
 *   CANDOR_INJECT_REPORT=FILE        a file of REPORT_BYTES zero bytes, in which the counts below are updated while they change
 *
 * HOW is one of `mistakes`, PLACE one of `places` below.
 *
 *   CANDOR_INJECT=plant=BUG          one of `bugs` is in the agent
 *   CANDOR_INJECT=nested             while a handler's record is open, the thread's clock expires once more
 *   CANDOR_INJECT=twice              each stack is walked twice, once without what earlier walks remembered
 *   CANDOR_INJECT=stack              measures how much of its thread's stack each handler used
 *
 * A load is made to fault with another address: an impossible one, one where nothing is mapped (SIGSEGV), or one beyond the end of a
 * file (SIGBUS). So the whole way through the kernel and hot/fault/fault.c is used. Random walks run in the handler, on the thread's own
 * stack, while the JVM's other threads compile, unload and collect. One in KEEP_EVERY is put into the thread's queue without weight, so
 * that the collector resolves the names of its frames. */
#include "agent/hot/inject.h"

#include "agent/hot/layout.h"
#include "agent/hot/load.h"
#include "agent/hot/record.h"
#include "agent/hot/signal/handler.h"
#include "agent/hot/walk/walk.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { REPORT_BYTES = 16384, SITES = 1024, SEEN = 256, KEEP_EVERY = 64, NEAR_BYTES = 256, STACK_WORDS_NEAR = 1024 };

/* faulty.py knows this order. */
struct injected {
    _Atomic uint64_t loads, faults, walks, frames, kept, unbounded, crashes;
    _Atomic uint64_t nested;
    _Atomic uint64_t recalled, differ;                      /* stacks walked twice: call sites that were known; stacks that differ */
    _Atomic uint64_t handler_bytes, kernel_bytes, measured; /* stack: the largest amount that a handler used, and the kernel before it */
    _Atomic uint64_t outcomes[OUTCOME_COUNT];
    _Atomic uint64_t sites[SITES]; /* code addresses of loads that were made to fail, by hash */
};

static struct injected nowhere, *report = &nowhere;
static uintptr_t beyond_end; /* mapped, but beyond the end of the report's file */
static uint32_t fault_below; /* of 2^32 */
static uint64_t walks_per_sample;
static bool walks_twice;
static __thread bool forgets;

static uint64_t draw(void)
{
    static __thread uint64_t state;
    if (!state) {
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        state = (uint64_t)t.tv_nsec << 32 ^ (uintptr_t)&state;
    }
    return handler_random(&state);
}

static void count(_Atomic uint64_t *counter, uint64_t n)
{
    atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

static void open_report(const char *path)
{
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *p = fd < 0 ? MAP_FAILED : mmap(NULL, REPORT_BYTES + page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0)
        close(fd);
    if (p == MAP_FAILED)
        return;
    report = (struct injected *)p;
    beyond_end = (uintptr_t)p + REPORT_BYTES;
}

/* ---- mistakes ---- */

/* The linker knows nothing about the memory to which these point. */
static volatile uintptr_t nowhere_at_all = 0x10, no_address_at_all = 0xdeadbeefdeadbeefULL;
static volatile int zero;

static void store_astray(void)
{
    *(volatile int *)nowhere_at_all = 1;
}

static void load_from_no_address(void)
{
    (void)*(volatile int *)no_address_at_all;
}

static void load_beyond_file(void)
{
    (void)*(volatile char *)beyond_end;
}

static void divide_by_zero(void)
{
    const volatile int many = 1000;
    zero = many / zero; /* AArch64 divides */
}

static void run_no_instruction(void)
{
#if defined(__x86_64__)
    __asm__ volatile("ud2");
#else
    __asm__ volatile("udf #0");
#endif
}

static void call_astray(void)
{
    ((void (*)(void))nowhere_at_all)();
}

static void copy_astray(void)
{
    char from[64] = {0};
    size_t size = sizeof from - (size_t)zero; /* a call, not an instruction */
    memcpy((void *)nowhere_at_all, from, size);
}

/* The memory of the queues, while clocks run. */
static void use_after_free(void)
{
    const struct candor_pool *pool = sampled_threads[0].queue.pool;
    munmap((void *)pool->taken, candor_pool_bytes(pool->chunk_count, pool->chunk_words));
}

static const struct {
    const char *name;
    void (*make)(void);
} mistakes[] = {{"store", store_astray},
                {"load", load_from_no_address},
                {"file", load_beyond_file},
                {"divide", divide_by_zero},
                {"instruction", run_no_instruction},
                {"call", call_astray},
                {"copy", copy_astray},
                {"free", use_after_free}};

static const char *const places[] = {[INJECT_IN_HANDLER] = "handler",
                                     [INJECT_IN_COLLECTOR] = "collector",
                                     [INJECT_UNDER_LOCK] = "lock",
                                     [INJECT_IN_CALLBACK] = "callback",
                                     [INJECT_AT_LOAD] = "load"};

static void (*mistake)(void);
static enum inject_place mistake_in;
static bool in_calibration;
static _Atomic int64_t mistake_after;

static bool is_chosen(const char *text, const char *key, const char *name)
{
    const char *found = strstr(text, key);
    return found && !strncmp(found + strlen(key), name, strlen(name));
}

static void choose_crash(const char *text)
{
    const char *after = strstr(text, "after=");
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
        if (is_chosen(text, "crash=", mistakes[i].name))
            mistake = mistakes[i].make;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (is_chosen(text, "in=", places[i]))
            mistake_in = (enum inject_place)i;
    in_calibration = strstr(text, "calibration"); /* measures the cost of a sample, in the same handler */
    mistake_after = after ? strtoll(after + 6, NULL, 10) : 1;
}

void inject_crash(enum inject_place place)
{
    bool calibrates = place == INJECT_IN_HANDLER && thread_of_caller()->index == THREADS_MAX - 1;
    if (mistake && place == mistake_in && calibrates == in_calibration && atomic_fetch_sub(&mistake_after, 1) == 1) {
        count(&report->crashes, 1);
        mistake();
    }
}

/* ---- planted bugs ---- */

static const char *const bugs[] = {[INJECT_NESTS] = "nests", [INJECT_TAKES_PLACE_FOR_METHOD] = "place"};
static uint32_t planted; /* a bit for each */
static bool nests;

static void choose_bugs(const char *text)
{
    for (uint32_t i = 0; i < sizeof bugs / sizeof *bugs; i++)
        planted |= (uint32_t)is_chosen(text, "plant=", bugs[i]) << i;
    nests = strstr(text, "nested");
}

bool inject_plants(enum inject_bug bug)
{
    return planted >> bug & 1;
}

void inject_nested(struct sampled_thread *t, const void *context)
{
    static __thread bool is_nested;
    siginfo_t trap = {.si_code = 6}; /* TRAP_PERF, with the cookie where the kernel puts it */
    uint64_t cookie = thread_cookie(t);
    if (!nests || is_nested)
        return;
    memcpy((char *)&trap + 24, &cookie, sizeof cookie);
    is_nested = true;
    handler_on_sigtrap(SIGTRAP, &trap, (void *)(uintptr_t)context);
    is_nested = false;
    count(&report->nested, 1);
}

/* ---- stacks ---- */

/* Memory closer to the painter's own frame was used by the handler's first functions, whatever comes later. */
enum { PAINTED_BYTES = 24 << 10, OWN_BYTES = 512, PAGE_BYTES = 4096 };
static const uint64_t paint = 0x7061696e74656421;
static bool measures_stacks;
static __thread uintptr_t painted_low, painted_high, painted_from;
static __thread bool had_trap_on_top;

void inject_stack_nested(void)
{
    had_trap_on_top = true;
}

__attribute__((noinline)) void inject_stack_paint(void)
{
    uint64_t word;
    if (!measures_stacks)
        return;
    had_trap_on_top = false;
    painted_from = (uintptr_t)__builtin_frame_address(0);
    painted_high = painted_low = (painted_from - OWN_BYTES) & ~(uintptr_t)7;
    /* Near its end a stack has pages that must not be touched. */
    while (painted_high - painted_low < PAINTED_BYTES && load_u64((painted_low - 8) & -(uintptr_t)PAGE_BYTES, &word)) {
        uintptr_t low = (painted_low - 8) & -(uintptr_t)PAGE_BYTES;
        while (painted_low > low)
            *(volatile uint64_t *)(painted_low -= 8) = paint;
    }
}

static void keep_most(_Atomic uint64_t *most, uint64_t value)
{
    uint64_t before = atomic_load(most);
    while (before < value && !atomic_compare_exchange_weak(most, &before, value))
        ;
}

__attribute__((noinline)) void inject_stack_measure(const void *context)
{
    struct registers at;
    if (!measures_stacks || !painted_low || !frame_registers(&at, (uintptr_t)context))
        return;
    uintptr_t lowest = painted_low;
    while (lowest < painted_high && *(volatile uint64_t *)lowest == paint)
        lowest += 8;
    bool whole = painted_high - painted_low >= PAINTED_BYTES;
    painted_low = 0;
    if (had_trap_on_top || !whole || at.sp < painted_from || at.sp - painted_from > 1 << 16) /* it came on another stack */
        return;
    count(&report->measured, 1);
    /* The context lies at or near the lower end of the kernel's frame; the handler's own frames are below it. */
    keep_most(&report->kernel_bytes, at.sp - (uintptr_t)context);
    keep_most(&report->handler_bytes, (uintptr_t)context - lowest);
}

/* ---- set-up ---- */

__attribute__((constructor)) static void choose_faults(void)
{
    const char *text = getenv("CANDOR_INJECT"), *loads, *walks;
    _Static_assert(sizeof(struct injected) <= REPORT_BYTES, "the counts fit");
    if (!text)
        return;
    open_report(getenv("CANDOR_INJECT_REPORT"));
    loads = strstr(text, "loads=");
    walks = strstr(text, "walks=");
    fault_below = loads ? (uint32_t)(strtod(loads + 6, NULL) * 4294967296.0) : 0;
    choose_crash(text);
    choose_bugs(text);
    measures_stacks = strstr(text, "stack");
    walks_twice = strstr(text, "twice");
    walks_per_sample = walks ? strtoull(walks + 6, NULL, 10) : 0;
}

/* ---- loads ---- */

static void note_site(uintptr_t site)
{
    for (uint32_t i = 0; i < SITES; i++) {
        _Atomic uint64_t *place = &report->sites[(site * 0x9e3779b97f4a7c15ULL + i) % SITES];
        uint64_t seen = 0;
        if (atomic_compare_exchange_strong(place, &seen, site) || seen == site)
            return;
    }
}

/* Outside of handlers, loads read the agent's own copies, or images of libraries, and are not expected to fault. Before the first
 * recording there is no table of threads. */
static bool in_handler(void)
{
    if (!thread_slot_of_tid)
        return false;
    uint32_t slot = atomic_load_explicit(&thread_slot_of_tid[syscall(SYS_gettid)], memory_order_relaxed);
    return slot && atomic_load_explicit(&sampled_threads[slot - 1].gate.inside, memory_order_relaxed);
}

__attribute__((noinline)) uintptr_t inject_address(uintptr_t at)
{
    const uintptr_t bad[] = {0xdeadbeefdeadbeefULL, 0x10, beyond_end};
    if (!fault_below)
        return at;
    count(&report->loads, 1);
    uint64_t luck = draw();
    if ((uint32_t)luck >= fault_below || !in_handler())
        return at;
    count(&report->faults, 1);
    note_site((uintptr_t)__builtin_return_address(0));
    return bad[(luck >> 32) % 3];
}

/* ---- walks ---- */

/* From any thread's latest samples: addresses of code and of stacks. */
static _Atomic uintptr_t pcs_seen[SEEN], sps_seen[SEEN], threads_seen[SEEN];

static uintptr_t one_of(_Atomic uintptr_t *seen)
{
    return atomic_load_explicit(&seen[draw() % SEEN], memory_order_relaxed);
}

static void remember(_Atomic uintptr_t *seen, uintptr_t value)
{
    atomic_store_explicit(&seen[draw() % SEEN], value, memory_order_relaxed);
}

static uintptr_t near(uintptr_t at)
{
    return at + draw() % (2 * NEAR_BYTES) - NEAR_BYTES;
}

static uintptr_t word_of_stack(uintptr_t sp)
{
    uint64_t word = 0;
    return load_u64(sp + 8 * (draw() % STACK_WORDS_NEAR), &word) ? word : 0;
}

static uintptr_t draw_code(void)
{
    const struct vm_heap *heap = &vm_layout.heaps[draw() % VM_HEAPS_MAX];
    switch (draw() % 8) {
    case 0:
        return vm_layout.code_low + draw() % (vm_layout.code_high - vm_layout.code_low + 1);
    case 1:
        return heap->low + draw() % (1 << 20); /* where the first blobs are */
    case 2:
        return vm_layout.interpreter_low + draw() % (vm_layout.interpreter_high - vm_layout.interpreter_low + 1);
    case 3:
        return vm_layout.call_stub_return;
    case 4:
        return walk_libjvm_low + draw() % (walk_libjvm_high - walk_libjvm_low + 1);
    case 5:
        return near(one_of(pcs_seen));
    default:
        return one_of(pcs_seen);
    }
}

static uintptr_t draw_junk(uintptr_t sp)
{
    switch (draw() % 8) {
    case 0:
        return draw();
    case 1:
        return draw() | 0x8000000000000000ULL;
    case 2:
        return draw() % 65536;
    case 3:
        return (uintptr_t)&vm_layout + draw() % sizeof vm_layout;
    case 4:
        return (sp | 4095) + 1 + 4096 * (draw() % 512) - draw() % 16; /* the edge of a page */
    case 5:
        return beyond_end - draw() % 16;
    case 6:
        return draw_code();
    default:
        return word_of_stack(sp);
    }
}

static uintptr_t draw_stack(uintptr_t own)
{
    switch (draw() % 8) {
    case 0:
        return draw_junk(own);
    case 1:
        return one_of(sps_seen) + 8 * (draw() % 64);
    case 2:
        return near(own);
    default:
        return own + 8 * (draw() % STACK_WORDS_NEAR);
    }
}

static uintptr_t draw_thread(uintptr_t own)
{
    switch (draw() % 16) {
    case 0:
        return draw_junk(one_of(sps_seen));
    case 1:
        return one_of(threads_seen);
    case 2:
    case 3:
    case 4:
        return near(own) & ~(uintptr_t)7;
    default:
        return own;
    }
}

/* Some of the registers keep their values: if all of them were wrong, a walk would end at once. */
static struct registers draw_registers(const struct registers *at)
{
    uint64_t luck = draw();
    struct registers r = *at;
    if (luck & 3)
        r.pc = luck & 4 ? draw_code() : luck & 8 ? word_of_stack(at->sp) : draw_junk(at->sp);
    if (luck & 0x30)
        r.sp = draw_stack(at->sp);
    if (luck & 0x300)
        r.fp = luck & 0x400 ? draw_stack(at->sp) : draw_junk(at->sp);
    if (luck & 0x3000) {
        r.bcp = draw_junk(at->sp);
        r.method = word_of_stack(at->sp);
    }
    return r;
}

static void walk_at(struct sampled_thread *t, const struct registers *at, uintptr_t java_thread)
{
    struct walk w;
    struct candor_queue *q = &t->queue;
    uint64_t frame, frames = 0;
    walk_begin(&w, at, java_thread);
    candor_queue_begin(q);
    candor_queue_put(q, 1);
    candor_queue_put(q, 0); /* no weight */
    candor_queue_put(q, at->pc);
    candor_queue_put(q, w.state);
    while (frames <= FRAMES_MAX && walk_next(&w, &frame)) {
        candor_queue_put(q, frame);
        frames++;
    }
    candor_queue_put(q, w.outcome);
    count(&report->walks, 1);
    count(&report->frames, frames);
    count(frames > FRAMES_MAX || w.outcome >= OUTCOME_COUNT ? &report->unbounded : &report->outcomes[w.outcome], 1);
    if (draw() % KEEP_EVERY)
        candor_queue_abort(q);
    else if (candor_queue_commit(q)) {
        counter_add(&t->counts.samples, 1);
        count(&report->kept, 1);
    }
}

static uint64_t walk_with_memory(const struct registers *at, uintptr_t java_thread, uint64_t *recalled)
{
    struct walk w;
    uint64_t frame, h = 0;
    walk_begin(&w, at, java_thread);
    if (w.state != JFR_STATE_JAVA) /* other threads may change the memory to which it returns meanwhile */
        return 0;
    while (walk_next(&w, &frame)) {
        h = (h ^ frame) * 0x9e3779b97f4a7c15ULL;
        *recalled += w.place == WALK_IN_SCOPES && w.compiled.by == WALK_SITE_RECALLED;
    }
    return h ^ w.outcome;
}

static void walk_twice(const struct registers *at, uintptr_t java_thread)
{
    uint64_t recalled = 0, none = 0;
    uint64_t with = walk_with_memory(at, java_thread, &recalled);
    forgets = true;
    uint64_t without = walk_with_memory(at, java_thread, &none);
    forgets = false;
    count(&report->walks, 1);
    count(&report->recalled, recalled);
    count(&report->differ, with != without || none);
}

void inject_walks(struct sampled_thread *t, const struct registers *at)
{
    uintptr_t java_thread = atomic_load_explicit(&t->java_thread, memory_order_relaxed);
    bool calibrates = t->index == THREADS_MAX - 1; /* its records are thrown away */
    if (!vm_layout.usable || calibrates)
        return;
    if (walks_twice)
        walk_twice(at, java_thread);
    if (!walks_per_sample)
        return;
    remember(pcs_seen, at->pc);
    remember(sps_seen, at->sp);
    remember(threads_seen, java_thread);
    for (uint64_t i = 0; i < walks_per_sample; i++) {
        struct registers r = draw_registers(at);
        walk_at(t, &r, draw_thread(java_thread));
    }
}

bool inject_forgets(enum inject_memory memory)
{
    return forgets && memory != INJECT_NAMES; /* names that are found anew take new places */
}
