#include "agent/hot/signal/handler.h"

#include "agent/hot/inject.h"
#include "agent/hot/java/code.h"
#include "agent/hot/java/virtual.h"
#include "agent/hot/kernel.h"
#include "agent/hot/record.h"
#include "agent/hot/signal/chain.h"
#include "agent/hot/signal/room.h"
#include "agent/hot/time.h"
#include "agent/hot/unwind/frame.h"
#include "agent/hot/walk/walk.h"
#include "agent/hot/walk/work.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

/* Members of siginfo_t for a SIGTRAP from perf (Linux 5.13), which the C library does not name yet. */
enum { SI_CODE_TRAP_PERF = 6, SI_PERF_DATA_OFFSET = 24 };

struct handler_config handler_config;

uint64_t handler_random(uint64_t *state)
{
    uint64_t x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * 0x2545f4914f6cdd1dULL;
}

uint64_t handler_draw_period(uint64_t *state, uint64_t interval_ns)
{
    return interval_ns - interval_ns / 2 + handler_random(state) % (interval_ns / 2 * 2 + 1);
}

static void lose(struct sampled_thread *t, enum loss why, uint64_t weight)
{
    counter_add(&t->counts.lost_ns[why], weight);
    counter_add(&t->counts.lost[why], 1);
}

static void leave_unanswered(struct sampled_thread *t, enum loss why, uint64_t ns)
{
    counter_add(&t->counts.unanswered_ns[why], ns);
    counter_add(&t->counts.unanswered[why], 1);
}

static void put_kernel_frames(struct sampled_thread *t)
{
    uint64_t frames[KERNEL_FRAMES_MAX];
    /* Relaxed, because a ring is not closed while a handler is inside. */
    uint32_t count = kernel_frames(atomic_load_explicit(&t->clock.ring, memory_order_relaxed), frames);
    for (uint32_t i = 0; i < count; i++)
        candor_queue_put(&t->queue, frame_native(JFR_FRAME_KERNEL, frames[i]));
}

/* Whether loads that fault at this pc are safe. A library that has just set its own handler may run this code, and would treat a fault of
 * ours as its own, as Go's runtime does. The collector puts ours in front of that handler at its next look (fault_install), unless it has
 * done so three times already. */
static bool may_fault(uintptr_t pc)
{
    struct kernel_action now;
    if (code_contains(pc) || walk_is_in_libjvm(pc))
        return true;
    return !action_exchange(SIGSEGV, NULL, &now) && turn_is_own((uintptr_t)now.handler.with_info);
}

static enum outcome put_frames(struct sampled_thread *t, struct walk *w, const void *context)
{
    uint64_t frame;
    if (handler_config.walker == WALKER_AGCT)
        return agct_record(t, context);
    if (handler_config.walker == WALKER_COMPARE)
        return agct_compare(t, w, context);
    if (!may_fault(w->at.pc)) {
        candor_queue_put(&t->queue, frame_native(JFR_FRAME_NATIVE, w->at.pc));
        return OUTCOME_TRUNCATED;
    }
    while (walk_next(w, &frame))
        if (!inject_hides_frame(t, frame))
            candor_queue_put(&t->queue, frame);
    return w->outcome;
}

/* Adds the words about the virtual thread that runs, if any. Returns how many words there are. An incomplete stack does not show whether a
 * virtual thread runs. */
static size_t put_virtual(struct sampled_thread *t, const struct walk *w, enum outcome outcome)
{
    uint64_t words[RECORD_VIRTUAL_MAX];
    if (!vm_layout.virtuals.usable)
        return 0;
    bool told = outcome == OUTCOME_COMPLETE && handler_config.walker != WALKER_AGCT;
    if (!walk_is_virtual(w) && (told || !w->java_thread || !virtual_is_mounted(w->java_thread)))
        return 0;
    size_t count = virtual_describe(w->java_thread, w->state, w->virtuals.entry, t->java_id, words);
    for (size_t i = 0; i < count; i++)
        candor_queue_put(&t->queue, words[i]);
    return count;
}

/* Unblocks the signals of faults. A fault whose signal is blocked kills the process, even if there is a handler. The interrupted code may
 * block these signals, as the JVM's own handlers do. The return from our handler restores the mask. A signal set is one word in the
 * kernel's format. */
static void unblock_faults(const ucontext_t *context)
{
    const uint64_t faults = 1u << (SIGSEGV - 1) | 1u << (SIGBUS - 1) | 1u << (SIGFPE - 1) | 1u << (SIGILL - 1);
    uint64_t blocked;
    memcpy(&blocked, &context->uc_sigmask, sizeof blocked);
    if (blocked & faults)
        syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &faults, NULL, sizeof faults);
}

/* The time for which a sample stands. */
struct stretch {
    uint64_t ns, ready_ns; /* ready_ns: for the event wall, the part without a processor */
    uint32_t window;       /* of a clock by lot */
    bool wall;             /* the time is wall-clock time, requested by the collector */
    bool is_late;          /* the clock has been taken away meanwhile, and its ring may go at any moment */
};

static void count(struct sampled_thread *t, const struct stretch *s, bool committed)
{
    if (committed)
        counter_add(s->wall ? &t->counts.answers : &t->counts.samples, 1);
    else if (!s->wall)
        lose(t, LOSS_QUEUE_FULL, s->ns);
    else
        leave_unanswered(t, LOSS_QUEUE_FULL, s->ns);
}

static void record(struct sampled_thread *t, const struct stretch *s, const void *context)
{
    struct registers at = {0};
    struct walk w;
    struct candor_queue *q = &t->queue;
    uint64_t work;
    uint32_t compilation;
    frame_registers(&at, (uintptr_t)context);
    walk_begin(&w, &at, atomic_load_explicit(&t->java_thread, memory_order_relaxed));
    w.virtuals.carrier_frames = handler_config.carrier_frames;
    compilation = handler_config.compilations ? code_compilation(at.pc) : 0;
    candor_queue_begin(q);
    candor_queue_put(q, time_now_ns(CLOCK_MONOTONIC));
    candor_queue_put(q, s->ns);
    candor_queue_put(q, at.pc);
    candor_queue_put(q, w.state | (s->wall ? s->ready_ns << RECORD_READY_SHIFT : record_place(compilation, s->window)));
    inject_nested(t, context);
    if (!s->wall && !s->is_late)
        put_kernel_frames(t);
    enum outcome outcome = put_frames(t, &w, context);
    if (work_frame(t, at.pc, &work))
        candor_queue_put(q, work);
    uintptr_t thread_pointer = frame_thread_pointer();
    atomic_store_explicit(&t->self.pointer, thread_pointer, memory_order_relaxed);
    size_t virtual_words = put_virtual(t, &w, outcome), context_words = context_put(q, thread_pointer);
    candor_queue_put(q, record_last(outcome, context_words, virtual_words) | (s->wall ? RECORD_OF_WALL : 0));
    if (inject_hides_sample(t)) {
        candor_queue_abort(q);
        return;
    }
    count(t, s, candor_queue_commit(q));
    inject_walks(t, &at);
}

/* A thread must not spend more than a quarter of its CPU time in samples. The kernel's part of a sample takes about the same time on
 * all machines. */
enum { MOST_IN_SAMPLES = 4, KERNEL_NS = 15000 };

static uint64_t least_base(const struct sampled_thread *t)
{
    if (handler_config.counts) /* the rate of such events is unknown */
        return 0;
    return MOST_IN_SAMPLES * (t->handler.sample_ns + KERNEL_NS);
}

/* Whether to time this handler. The thread's CPU clock is used, because a thread often loses its processor in the handler if many
 * threads run. That clock costs a system call, so only one in REDRAW_EVERY samples is timed. */
static bool is_timed(const struct sampled_thread *t)
{
    return counter_get(&t->counts.expiries) % REDRAW_EVERY == 1;
}

static void note_time(struct sampled_thread *t, uint64_t took)
{
    t->handler.sample_ns += took / 4 - t->handler.sample_ns / 4;
    counter_add(&t->counts.handler_ns, took * REDRAW_EVERY);
}

/* Returns why the clock is slower than requested. SUPPRESSION_COUNT: it is not slower, or it is drawn by lot and therefore faster. */
static enum suppression why_slow(const struct sampled_thread *t)
{
    /* Relaxed, because no other memory depends on this number. */
    if (t->handler.base_ns <= atomic_load_explicit(&handler_config.interval_ns, memory_order_relaxed) || t->lot.window)
        return SUPPRESSION_COUNT;
    return t->handler.base_ns > t->handler.pace_ns ? SUPPRESSION_COSTLY : SUPPRESSION_BUDGET;
}

static void note_slow(struct sampled_thread *t, enum suppression why, uint64_t weight)
{
    if (why == SUPPRESSION_COUNT)
        return;
    counter_add(&t->counts.suppressed_ns[why], weight);
    counter_add(&t->counts.slow[why], 1);
}

/* Returns how many events this expiry stands for: all events since the last expiry, however many expiries became one signal. A first expiry
 * is weighed as described below, because it came after a part of the interval. A scaled count may decrease slightly. */
static uint64_t weigh_events(struct sampled_thread *t)
{
    struct event_reading r;
    uint64_t now = syscall(SYS_read, t->clock.fd, &r, sizeof r) == sizeof r ? event_reading_scaled(&r) : t->handler.last_count;
    uint64_t weight = t->handler.next_weight_ns ? t->handler.next_weight_ns : now > t->handler.last_count ? now - t->handler.last_count : 0;
    if (now > t->handler.last_count)
        t->handler.last_count = now;
    t->handler.next_weight_ns = 0;
    return weight;
}

/* Returns the CPU time for which this expiry stands. A thread's first expiry came after a random part of the interval and stands for a
 * whole one. After that, if the clock also runs in the kernel, the weight is the CPU time that the thread has used since its last sample.
 * The weights then add up to the thread's CPU time, however many expiries became one signal, and however late it came. With other clocks,
 * the periods are counted: the one that ended, and those that ended after it before the signal came. */
static uint64_t weigh(struct sampled_thread *t, uint64_t reported, uint64_t ended, uint64_t further)
{
    if (handler_config.counts)
        return weigh_events(t);
    uint64_t weight = (t->handler.next_weight_ns ? t->handler.next_weight_ns : ended) + (reported - 1) * further;
    if (handler_config.measures) {
        uint64_t cpu = time_now_ns(CLOCK_THREAD_CPUTIME_ID);
        if (!t->handler.next_weight_ns)
            weight = cpu - t->handler.last_cpu_ns;
        t->handler.last_cpu_ns = cpu;
    }
    t->handler.next_weight_ns = 0;
    return inject_lies(INJECT_COUNTS_ONCE) ? handler_config.interval_ns : weight;
}

/* Adds the time between the periods. The second period begins now, later than the first one ended. The CPU time in between, most of which
 * is the agent's, belongs to the first expiry. The event may also count time that a hypervisor took, which is not CPU time of any thread.
 * Then the expiry came too early by that time, and its weight is reduced by that time. */
static void complete_first_weight(struct sampled_thread *t)
{
    uint64_t count;
    if (!handler_config.measures || syscall(SYS_read, t->clock.fd, &count, sizeof count) != sizeof count)
        return;
    uint64_t used = time_now_ns(CLOCK_THREAD_CPUTIME_ID) - t->clock.cpu_at_setting;
    if (used > t->handler.period_ns)
        t->handler.next_weight_ns += used - t->handler.period_ns;
    if (count > used)
        t->handler.next_weight_ns = (uint64_t)((double)t->handler.next_weight_ns * ((double)used / (double)count));
}

/* Returns the weight of a clock by lot, which includes threads that were not drawn. */
static uint64_t lend(struct sampled_thread *t, uint64_t weight, uint32_t window, double stands_for)
{
    if (!window)
        return weight;
    uint64_t all = (uint64_t)((double)weight * stands_for);
    counter_add(&t->counts.lent_ns, all - weight);
    return all;
}

static bool keeps_pace(const struct sampled_thread *t, uint64_t pace)
{
    return pace == t->handler.pace_ns && least_base(t) <= t->handler.base_ns;
}

static void choose_base(struct sampled_thread *t, uint64_t pace)
{
    uint64_t least = least_base(t);
    t->handler.pace_ns = pace;
    t->handler.base_ns = pace < least ? least + least / 4 : pace;
}

/* Returns the next period. The second and the third period are the interval itself. The first expiry is uniform in the interval. So a
 * thread that lives for up to two and a half intervals has, on average, exactly the weight of its CPU time. A period of CPU time leaves the
 * thread enough time for its work. */
static uint64_t next_period(struct sampled_thread *t, uint64_t pace)
{
    if (t->handler.in_first_period)
        return t->handler.base_ns;
    choose_base(t, pace);
    if (inject_lies(INJECT_FIXED_PERIOD))
        return t->handler.base_ns;
    uint64_t period = handler_draw_period(&t->handler.random, t->handler.base_ns);
    return handler_config.counts || period >= PERIOD_MIN_NS ? period : PERIOD_MIN_NS;
}

/* Sets the period. An event that the kernel counts expires at once if its period is changed while it counts. Therefore it is stopped for
 * the change. */
static bool set_period(struct sampled_thread *t, uint64_t period, bool first)
{
    bool is_stopped = first && handler_config.stops_first, stop = handler_config.counts && !is_stopped;
    if (stop)
        ioctl(t->clock.fd, PERF_EVENT_IOC_DISABLE, 0);
    bool set = !ioctl(t->clock.fd, PERF_EVENT_IOC_PERIOD, &period);
    if ((stop || (is_stopped && set)) && !atomic_load(&handler_config.held))
        ioctl(t->clock.fd, PERF_EVENT_IOC_ENABLE, 0);
    return set;
}

static void redraw_period(struct sampled_thread *t, uint64_t pace)
{
    if (--t->handler.until_redraw && keeps_pace(t, pace))
        return;
    bool first = t->handler.in_first_period;
    t->handler.until_redraw = t->lot.window ? UINT32_MAX : first ? FIRST_REDRAW : REDRAW_EVERY;
    uint64_t period = next_period(t, pace);
    t->handler.in_first_period = false;
    if (!set_period(t, period, first))
        return;
    if (first)
        complete_first_weight(t);
    t->handler.period_ns = period;
}

/* Changes the timer's interval. The next expiry comes at the time at which it was due before. */
static void reset_timer(struct sampled_thread *t, uint64_t pace)
{
    struct itimerspec its;
    if (syscall(SYS_timer_gettime, t->clock.timer, &its))
        return;
    choose_base(t, pace);
    its.it_interval = (struct timespec){(time_t)(t->handler.base_ns / 1000000000u), (long)(t->handler.base_ns % 1000000000u)};
    syscall(SYS_timer_settime, t->clock.timer, 0, &its, NULL);
}

/* Makes the thread's clock adopt the pace. */
static void set_pace(struct sampled_thread *t)
{
    uint64_t pace = handler_pace(t);
    if (t->clock.fd >= 0 && handler_config.redraws)
        redraw_period(t, pace);
    else if (t->clock.has_timer) {
        t->handler.period_ns = t->handler.base_ns;
        if (!keeps_pace(t, pace))
            reset_timer(t, pace);
    } else {
        t->handler.pace_ns = t->handler.base_ns = pace; /* the process's timer, which already has the pace */
    }
}

struct expiry {
    struct sampled_thread *thread;
    const void *context;
    uint64_t reported; /* number of expiries that the signal itself reports */
    bool is_late;      /* it belongs to a clock by lot that was taken away meanwhile */
    uint64_t weight;   /* weight that is in the books of expiries, but not yet in those of samples or losses */
};

static void put_sample(struct expiry *e, uint64_t weight, uint32_t window)
{
    counter_add(&e->thread->counts.expiry_ns, weight);
    counter_add(&e->thread->counts.expiries, 1);
    e->weight = weight;
    inject_crash(INJECT_IN_HANDLER);
    record(e->thread, &(struct stretch){.ns = weight, .window = window, .is_late = e->is_late}, e->context);
    e->weight = 0;
}

/* Takes the weight of a late signal. Acquire: pairs with the release of the thread that took the clock away. */
static void take_late(struct expiry *e)
{
    struct sampled_thread *t = e->thread;
    uint64_t weight = atomic_exchange_explicit(&t->lot.late_ns, 0, memory_order_acquire);
    if (weight)
        put_sample(e, lend(t, weight, t->lot.late_window, t->lot.late_stands_for), t->lot.late_window);
}

static void take(void *argument)
{
    struct expiry *e = argument;
    struct sampled_thread *t = e->thread;
    if (e->is_late) {
        take_late(e);
        return;
    }
    bool timed = is_timed(t);
    uint64_t began = timed ? time_now_ns(CLOCK_THREAD_CPUTIME_ID) : 0, ended = t->handler.period_ns, further = t->handler.base_ns;
    enum suppression slow = why_slow(t);
    /* First, because a short first period must not end again meanwhile. */
    set_pace(t);
    uint64_t weight = weigh(t, e->reported + atomic_exchange_explicit(&t->gate.nested, 0, memory_order_relaxed), ended, further);
    weight = lend(t, weight, t->lot.window, t->lot.stands_for);
    note_slow(t, slow, weight);
    put_sample(e, weight, t->lot.window);
    if (timed)
        note_time(t, time_now_ns(CLOCK_THREAD_CPUTIME_ID) - began);
}

static void take_in_turn(void *argument)
{
    struct expiry *e = argument;
    inject_stack_paint();
    if (!turn_take(&e->thread->gate.turn, take, e) && e->weight)
        lose(e->thread, LOSS_INTERNAL_FAULT, e->weight);
    inject_stack_measure(e->context);
}

static bool asks_jvm(void)
{
    return handler_config.walker != WALKER_VMSTRUCTS;
}

/* Leaves the expiry's weight to the next sample. */
static void leave_to_next(struct sampled_thread *t, uint64_t reported)
{
    atomic_fetch_add_explicit(&t->gate.nested, (uint32_t)reported, memory_order_relaxed);
}

/* Whether the signal belongs to the previous setting of the clock. */
static bool is_late(const struct sampled_thread *t, uint64_t cookie)
{
    uint64_t now = thread_cookie(t);
    bool is_before = (uint32_t)now - (uint32_t)cookie == 1u << THREAD_COOKIE_SETTING;
    return is_before && thread_cookie_generation(now) == thread_cookie_generation(cookie);
}

static void expire(struct sampled_thread *t, uint64_t cookie, uint64_t reported, const void *context)
{
    if (turn_has_faulted())
        return;
    /* A signal for a slot's former thread must not change a slot that belongs to another thread by now. */
    if (!(thread_cookie_generation(cookie) & 1) || (thread_cookie(t) != cookie && !is_late(t, cookie)))
        return;
    /* A handler can interrupt another handler of its thread, whatever they mask (context_of_fault in hot/fault/fault.c). The queue may have
     * only one producer. Relaxed, both, because only this thread writes them. */
    if (atomic_load_explicit(&t->gate.inside, memory_order_relaxed) && !inject_plants(INJECT_NESTS)) {
        leave_to_next(t, reported);
        inject_stack_nested();
        return;
    }
    /* Sequentially consistent, like the thread that disarms: either that thread sees this handler inside, or the handler sees the new
     * generation or setting. */
    atomic_store(&t->gate.inside, 1);
    bool late = is_late(t, cookie);
    if (thread_cookie(t) == cookie || late) {
        struct expiry e = {.thread = t, .context = context, .reported = reported, .is_late = late};
        unblock_faults(context);
        if (!room_run(context, asks_jvm(), take_in_turn, &e))
            leave_to_next(t, reported);
    }
    /* Release: pairs with the acquire of the thread that disarms, which then sees the finished record in the queue. */
    atomic_store_explicit(&t->gate.inside, 0, memory_order_release);
}

struct request {
    struct sampled_thread *thread;
    const void *context;
    struct stretch stretch; /* ns 0: the sample is in the queue, or in the books of losses */
};

static void answer(void *argument)
{
    struct request *r = argument;
    uint64_t began = time_now_ns(CLOCK_THREAD_CPUTIME_ID);
    record(r->thread, &r->stretch, r->context);
    r->stretch.ns = 0;
    counter_add(&r->thread->counts.answer_ns, time_now_ns(CLOCK_THREAD_CPUTIME_ID) - began);
}

/* Takes the collector's request. Relaxed, both, because no other memory depends on these numbers. What the collector adds from here on is
 * left for its next signal. */
static struct stretch take_request(struct sampled_thread *t)
{
    uint64_t running = atomic_exchange_explicit(&t->collector.asked_running_ns, 0, memory_order_relaxed);
    uint64_t ready = atomic_exchange_explicit(&t->collector.asked_ready_ns, 0, memory_order_relaxed);
    return (struct stretch){.ns = running + ready, .ready_ns = ready, .wall = true};
}

static void answer_in_turn(void *argument)
{
    struct request *r = argument;
    r->stretch = take_request(r->thread);
    inject_stack_paint();
    if (r->stretch.ns && !turn_take(&r->thread->gate.turn, answer, r) && r->stretch.ns)
        leave_unanswered(r->thread, LOSS_INTERNAL_FAULT, r->stretch.ns);
    inject_stack_measure(r->context);
}

/* Does the same as expire, for a request. If another handler of the thread is running, the request waits for the next signal. */
static void reply(struct sampled_thread *t, const void *context)
{
    /* Relaxed, both: as in expire. */
    uint32_t generation = atomic_load_explicit(&t->generation, memory_order_relaxed);
    if (turn_has_faulted() || !(generation & 1) || atomic_load_explicit(&t->gate.inside, memory_order_relaxed))
        return;
    atomic_store(&t->gate.inside, 1);
    if (atomic_load(&t->generation) == generation) {
        struct request r = {.thread = t, .context = context};
        unblock_faults(context);
        room_run(context, asks_jvm(), answer_in_turn, &r); /* otherwise the request stays for the next signal */
    }
    /* Release: pairs with the acquire of the thread that disarms, as in expire. */
    atomic_store_explicit(&t->gate.inside, 0, memory_order_release);
}

static struct sampled_thread *thread_of_cookie(uint64_t cookie)
{
    uint32_t index = thread_cookie_index(cookie);
    return index < THREADS_MAX && thread_cookie_generation(cookie) & 1 ? &sampled_threads[index] : NULL;
}

/* Takes the default action for a breakpoint instruction that the program does not handle: it must kill the process, as it would without the
 * agent. */
static void default_trap(int signal)
{
    const struct kernel_action dfl = {0};
    action_exchange(signal, &dfl, NULL);
    syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal);
}

void handler_on_sigtrap(int signal, siginfo_t *info, void *context)
{
    int saved = errno;
    uint64_t cookie;
    memcpy(&cookie, (const char *)info + SI_PERF_DATA_OFFSET, sizeof cookie);
    if (info->si_code == SI_CODE_TRAP_PERF) {
        struct sampled_thread *t = thread_of_cookie(cookie);
        if (t)
            expire(t, cookie, 1, context);
    } else if (chain_is_default(signal))
        default_trap(signal);
    else
        chain_pass_on(signal, info, context);
    errno = saved;
}

/* Handles an expiry. A signal that comes after its thread's clock has ended is ignored. */
void handler_on_perf_signal(int signal, siginfo_t *info, void *context)
{
    int saved = errno;
    struct sampled_thread *t = info->si_code > 0 ? thread_of_caller() : NULL;
    uint64_t cookie = t ? thread_cookie(t) : 0;
    if (t && t->clock.fd == info->si_fd)
        expire(t, cookie, 1, context);
    else if (!t || thread_cookie_generation(cookie) & 1)
        chain_pass_on(signal, info, context);
    errno = saved;
}

void handler_on_thread_timer(int signal, siginfo_t *info, void *context)
{
    int saved = errno;
    uint64_t cookie = (uint64_t)(uintptr_t)info->si_value.sival_ptr;
    struct sampled_thread *t = info->si_code == SI_TIMER ? thread_of_cookie(cookie) : NULL;
    if (t)
        expire(t, cookie, 1 + (uint64_t)(info->si_overrun > 0 ? info->si_overrun : 0), context);
    else
        chain_pass_on(signal, info, context);
    errno = saved;
}

/* Handles an expiry of the process's timer. Its tick is coarse. The expiry stands for all CPU time that the process used since the last
 * one, which the process clock measures exactly. Relaxed, because a program that has set the timer itself gets the later signals. */
void handler_on_process_timer(int signal, siginfo_t *info, void *context)
{
    int saved = errno;
    bool ours = info->si_code == SI_KERNEL && !atomic_load_explicit(&handler_config.timer_is_taken, memory_order_relaxed);
    struct sampled_thread *t = ours ? thread_of_caller() : NULL;
    uint64_t cookie = t ? thread_cookie(t) : 0;
    if (!ours)
        chain_pass_on(signal, info, context);
    else if (thread_cookie_generation(cookie) & 1) {
        uint64_t now = time_now_ns(CLOCK_PROCESS_CPUTIME_ID);
        /* Relaxed, because only the exchange decides which expiry gets the time. */
        uint64_t last = atomic_exchange_explicit(&handler_config.process_cpu_ns, now, memory_order_relaxed);
        t->handler.next_weight_ns += now > last ? now - last : 1; /* added to the weight of an expiry for which there was no room */
        expire(t, cookie, 1, context);
    }
    errno = saved;
}

void handler_on_request(int signal, siginfo_t *info, void *context)
{
    int saved = errno;
    bool ours = info->si_code == SI_QUEUE && info->si_value.sival_ptr == &handler_config && info->si_pid == getpid();
    struct sampled_thread *t = ours ? thread_of_caller() : NULL;
    if (t)
        reply(t, context);
    else if (!ours)
        chain_pass_on(signal, info, context);
    errno = saved;
}
