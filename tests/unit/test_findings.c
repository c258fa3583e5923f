/* The rules with evidence made by hand: each planted problem is found, a similar case without the problem is not, and the limit is where
 * docs/findings.md says.
 * tier: quick
 * timeout: 30 */
#include "../tap.h"

#include "analysis/analyze.h"
#include "analysis/show/findings_print.h"
#include "analysis/show/overview.h"
#include "base/time_units.h"
#include "events/halt_parts.h"
#include "doc_table.h"
#include "profile/allocated.h"
#include "profile/locks.h"
#include "profile_maker.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARK   "Native|jdk.internal.misc.Unsafe.park"
#define RWLOCK "java.util.concurrent.locks.ReentrantReadWriteLock"
#define WRITES "demo.Cache.put:7;" RWLOCK "$WriteLock.lock:900;" PARK
#define READS  "demo.Cache.get:3;" RWLOCK "$ReadLock.lock:700;" PARK
#define WORKER "java.util.concurrent.ThreadPoolExecutor.runWorker:1136"
#define CLIENT "demo.Client.ask:9;java.util.concurrent.FutureTask.get:1;java.util.concurrent.FutureTask.awaitDone:1;" PARK

/* ---- evidence of 10 s ---- */

static struct profile cpu, wall, lock, holder, alloc, live;
static struct halts halts;
static struct evidence e;
static struct findings f;

static void begin(void)
{
    maker_init(&cpu);
    maker_init(&wall);
    maker_init(&lock);
    maker_init(&holder);
    maker_init(&alloc);
    maker_init(&live);
    alloc.kind = PROFILE_ALLOC;
    live.kind = PROFILE_LIVE;
    wall.kind = PROFILE_WALL;
    lock.kind = PROFILE_LOCK;
    holder.kind = PROFILE_HOLDER;
    halts = (struct halts){0};
    strtab_init(&halts.strings);
    e = (struct evidence){.sources = UINT32_MAX >> (32 - SOURCES),
                          .cpu = &cpu,
                          .wall = &wall,
                          .lock = &lock,
                          .holder = &holder,
                          .alloc = &alloc,
                          .live = &live,
                          .halts = &halts,
                          .duration_ns = 10 * NS_PER_S};
}

static void end(void)
{
    findings_deinit(&f);
    profile_deinit(&cpu);
    profile_deinit(&wall);
    profile_deinit(&lock);
    profile_deinit(&holder);
    profile_deinit(&alloc);
    profile_deinit(&live);
    halts_deinit(&halts);
}

static void judge(void)
{
    if (findings_init(&f) || analyze(&f, &e))
        tap_ok(false, "there is memory");
}

struct wait {
    const char *thread;
    uint64_t id;
    const char *class_name, *owner, *owner_id, *stack;
    uint64_t weight;
    bool park, open;
    int64_t start_ns;
};

static void add_wait(const struct wait *w)
{
    struct profile_sample s = {.time_ns = w->start_ns, .weight = w->weight, .state = w->park ? JFR_STATE_PARKED : JFR_STATE_MONITOR};
    s.stack = maker_stack(&lock, w->stack);
    s.outcome = maker_string(&lock, "complete");
    profile_thread(&lock, maker_string(&lock, w->thread), w->id, w->id, &s.thread);
    locks_add_label(&lock, "class", maker_string(&lock, w->class_name), false, &s.labels);
    if (w->owner)
        locks_add_label(&lock, "owner", maker_string(&lock, w->owner), false, &s.labels);
    if (w->owner_id)
        locks_add_label(&lock, "owner_id", maker_string(&lock, w->owner_id), true, &s.labels);
    if (w->open)
        locks_add_label(&lock, "open", maker_string(&lock, "yes"), false, &s.labels);
    profile_add_sample(&lock, &s);
}

static void add_waits(const char *class_name, const char *stack, uint64_t weight, bool park)
{
    add_wait(&(struct wait){.thread = "waiter", .id = 7, .class_name = class_name, .stack = stack, .weight = weight, .park = park});
}

static void add_owners(const char *class_name, const char *stack, int count)
{
    for (int i = 0; i < count; i++) {
        struct profile_sample s = {
            .weight = 50 * NS_PER_MS, .stack = maker_stack(&holder, stack), .outcome = maker_string(&holder, "complete")};
        profile_thread(&holder, maker_string(&holder, "keeper"), 8, 8, &s.thread);
        locks_add_label(&holder, "class", maker_string(&holder, class_name), false, &s.labels);
        profile_add_sample(&holder, &s);
    }
}

static void add_looks(const char *thread, uint64_t id, const char *stack, enum jfr_thread_state state, int count)
{
    for (int i = 0; i < count; i++) {
        struct profile_sample s = {.weight = 50 * NS_PER_MS,
                                   .stack = maker_stack(&wall, stack),
                                   .outcome = maker_string(&wall, "complete"),
                                   .state = (uint8_t)state};
        profile_thread(&wall, maker_string(&wall, thread), id, id, &s.thread);
        profile_add_sample(&wall, &s);
    }
}

static uint32_t halt_word(const char *text)
{
    return strtab_add_text(&halts.strings, text);
}

static void add_halts(enum halt_kind kind, const char *what, uint64_t ns, int count)
{
    for (int i = 0; i < count; i++) {
        struct halt one = {.kind = (uint8_t)kind,
                           .ns = ns,
                           .count = 1,
                           .what = halt_word(what),
                           .site = halt_word("demo.Main.work:4"),
                           .thread = halt_word("main")};
        halts_add(&halts, &one);
    }
}

/* Four reads, whose beginnings are `apart` from each other. */
static void add_reads(const char *peer, uint64_t ns, uint64_t apart)
{
    for (int i = 0; i < 4; i++) {
        add_halts(HALT_SOCKET_READ, peer, ns, 1);
        halts.list[halts.count - 1].start_ns = (int64_t)(apart * (uint64_t)i);
    }
}

static void add_late(uint64_t ns, const char *site)
{
    struct halt one = {.kind = HALT_SAFEPOINT,
                       .ns = ns,
                       .count = 1,
                       .sync_ns = ns,
                       .sync_known = true,
                       .late_ns = 4 * ns,
                       .late_thread_ns = ns}; /* and three other threads that ran as long */
    one.late_thread = halt_word("looper");
    one.late_site = halt_word(site);
    halts_add(&halts, &one);
}

/* ---- what is asserted ---- */

static const struct finding *first(enum finding_kind kind)
{
    return f.count && f.list[0].kind == kind ? &f.list[0] : NULL;
}

static bool text_is(uint32_t string, const char *wanted)
{
    return !strcmp(findings_text(&f, string), wanted);
}

/* It is the only finding, its title says so, and it names the problem and the place. */
static void finds(enum finding_kind kind, const char *subject, const char *site, const char *what)
{
    judge();
    const struct finding *one = first(kind);
    if (!tap_ok(one && f.count == 1, "%s: found, and nothing else", what))
        for (uint32_t i = 0; i < f.count; i++)
            tap_note("%s %.1f: %s", finding_infos[f.list[i].kind].id, f.list[i].score, findings_text(&f, f.list[i].text));
    else if (!tap_ok(text_is(one->subject, subject) && text_is(one->site, site) && strstr(findings_text(&f, one->text), site),
                     "%s: what and where", what))
        tap_note("'%s' at '%s': %s", findings_text(&f, one->subject), findings_text(&f, one->site), findings_text(&f, one->text));
    end();
}

static void is_silent(const char *what)
{
    judge();
    if (!tap_ok(!f.count, "%s: nothing", what))
        tap_note("%s %.1f: %s", finding_infos[f.list[0].kind].id, f.list[0].score, findings_text(&f, f.list[0].text));
    end();
}

/* ---- locks ---- */

#define LOG_SITE "demo.Log.log:12 < demo.Main.run:1"
#define LOG      "demo.Main.run:1;demo.Log.log:12"
#define ASLEEP   LOG ";Native|java.lang.Thread.sleep"

static void test_contended(void)
{
    begin();
    add_waits("demo.Log", LOG, 2080 * NS_PER_MS, false);
    finds(FINDING_LOCK_CONTENDED, "demo.Log", LOG_SITE, "a lock for which 0.208 threads wait");
    begin();
    add_waits("demo.Log", LOG, 2070 * NS_PER_MS, false);
    is_silent("0.207 threads");
    begin();
    add_waits("demo.Log", LOG, 2080 * NS_PER_MS, false);
    maker_book(&lock, "lock_threshold", "monitor", NS_PER_S, 0);
    is_silent("0.208 threads, by a draw that may be off by half as much");
    begin();
    add_waits("java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject", LOG ";" PARK, 90 * NS_PER_S, true);
    is_silent("threads that have nothing to do");
    begin();
    add_waits("java.util.concurrent.locks.ReentrantLock$NonfairSync", LOG ";" PARK, 90 * NS_PER_S, true);
    finds(FINDING_LOCK_CONTENDED, "java.util.concurrent.locks.ReentrantLock$NonfairSync", LOG_SITE, "a lock of java.util.concurrent");
    begin();
    add_waits("java.util.concurrent.locks.ReentrantLock$NonfairSync",
              WORKER ";java.util.concurrent.ThreadPoolExecutor.getTask:1062;java.util.concurrent.LinkedBlockingQueue.take:435;" PARK,
              90 * NS_PER_S, true);
    is_silent("workers that take the lock of their pool's queue");
    begin();
    add_waits("java.util.concurrent.locks.ReentrantLock$NonfairSync", LOG ";java.util.concurrent.LinkedBlockingQueue.take:435;" PARK,
              90 * NS_PER_S, true);
    is_silent("consumers that come to take have nothing to do");
    begin();
    add_waits("java.util.concurrent.locks.ReentrantLock$NonfairSync", LOG ";java.util.concurrent.LinkedBlockingQueue.put:343;" PARK,
              90 * NS_PER_S, true);
    finds(FINDING_LOCK_CONTENDED, "java.util.concurrent.locks.ReentrantLock$NonfairSync", LOG_SITE, "a queue is blamed on who fills it");
    begin();
    add_waits("jdk.jfr.internal.PlatformRecorder", "jdk.jfr.internal.PlatformRecorder.periodicTask:1", 9 * NS_PER_S, false);
    is_silent("a lock of the JDK's recorder, which was started for the recording");
}

/* The lock has an owner, which was able to run in 40 looks. */
static void add_owner_looks(int ready)
{
    begin();
    add_wait(&(struct wait){
        .thread = "waiter", .id = 7, .class_name = "demo.Log", .owner = "keeper", .owner_id = "8", .stack = LOG, .weight = 70 * NS_PER_S});
    add_looks("keeper", 8, LOG, JFR_STATE_READY, ready);
    add_looks("keeper", 8, LOG, JFR_STATE_JAVA, 40 - ready);
    add_looks("other", 9, LOG, JFR_STATE_READY, 40);
    add_looks("keeper", 8, LOG, JFR_STATE_SLEEPING, 400);
}

static void test_preempted(void)
{
    add_owner_looks(27);
    finds(FINDING_LOCK_OWNER_PREEMPTED, "demo.Log", LOG_SITE, "an owner that has no processor in 27 of 40 looks");
    add_owner_looks(25);
    finds(FINDING_LOCK_CONTENDED, "demo.Log", LOG_SITE, "25, which may be less than half");
    add_owner_looks(0);
    finds(FINDING_LOCK_CONTENDED, "demo.Log", LOG_SITE, "an owner that works, while another thread has no processor");
    add_owner_looks(27);
    add_owners("demo.Log", LOG ";" PARK, 7);
    add_owners("demo.Log", "Pseudo|JVM.[running]", 5);
    finds(FINDING_LOCK_CONTENDED, "demo.Log", LOG_SITE,
          "an owner that waits for another thread in 7 of 12 looks, and then for a processor");
}

/* Threads need a lock; its owners can run, but lack a processor, in `io` of 40 looks with this stack. */
static void add_busy_owner(const char *stack, int io)
{
    begin();
    add_wait(&(struct wait){
        .thread = "waiter", .id = 7, .class_name = "demo.Log", .owner = "keeper", .owner_id = "8", .stack = LOG, .weight = 70 * NS_PER_S});
    add_looks("keeper", 8, stack, JFR_STATE_READY, io);
    add_looks("keeper", 8, LOG, JFR_STATE_READY, 40 - io);
}

#define FORCE0 "sun.nio.ch.UnixFileDispatcherImpl.force0;Native|libc.fdatasync;Kernel|do_fsync"

static void test_busy_io(void)
{
    add_busy_owner(LOG ";" FORCE0, 27);
    finds(FINDING_LOCK_HELD_IN_IO, "demo.Log", LOG_SITE, "an owner that lacks a processor in the kernel, in 27 of 40 looks");
    add_busy_owner(LOG ";" FORCE0, 25);
    finds(FINDING_LOCK_OWNER_PREEMPTED, "demo.Log", LOG_SITE, "in 25 looks, which may be less than half");
    add_busy_owner("demo.Main.run:1;demo.Disk.save:4;" FORCE0, 40);
    finds(FINDING_LOCK_OWNER_PREEMPTED, "demo.Log", LOG_SITE, "input and output elsewhere in the program");
}

/* A virtual thread that keeps its carrier parks to sleep, and to wait for a socket. */
#define PINNED "java.lang.VirtualThread.parkOnCarrierThread:675;" PARK

static void test_pinned_owners(void)
{
    begin();
    add_waits("demo.Log", LOG, 70 * NS_PER_S, false);
    add_owners("demo.Log",
               LOG ";java.lang.Thread.sleep:507;java.lang.VirtualThread.sleepNanos:802;java.lang.VirtualThread.parkNanos:631;" PINNED, 20);
    finds(FINDING_LOCK_HELD_ASLEEP, "demo.Log", LOG_SITE, "a pinned virtual thread sleeps");
    begin();
    add_waits("demo.Log", LOG, 70 * NS_PER_S, false);
    add_owners("demo.Log",
               LOG ";sun.nio.ch.NioSocketImpl.park:174;sun.nio.ch.Poller.poll:139;java.util.concurrent.locks.LockSupport.park:369;"
                   "java.lang.System$2.parkVirtualThread:2639;java.lang.VirtualThread.park:582;" PINNED,
               20);
    finds(FINDING_LOCK_HELD_IN_IO, "demo.Log", LOG_SITE, "a pinned virtual thread reads from a socket");
    begin();
    add_waits("demo.Log", LOG, 70 * NS_PER_S, false);
    add_owners("demo.Log",
               LOG ";sun.nio.ch.NioSocketImpl.connect:540;java.util.concurrent.locks.ReentrantLock.lock:322;"
                   "java.util.concurrent.locks.LockSupport.park:211;" PARK,
               20);
    finds(FINDING_LOCK_HELD_WAITING, "demo.Log", LOG_SITE, "a thread that waits for the lock of a socket");
}

/* Virtual threads want a monitor, and virtual threads sleep without a carrier, in `looks` looks with this stack. */
#define WITHOUT_CARRIER                                                                                                                    \
    ";java.lang.Thread.sleep:540;java.lang.VirtualThread.sleepNanos:983;java.lang.VirtualThread.parkNanos:787;"                            \
    "java.lang.VirtualThread.yieldContinuation:535"
#define LOG_LATER "demo.Main.run:1;demo.Log.log:14"

static void add_sleepers(const char *stack, int looks)
{
    add_looks("virtual-*", 9, stack, JFR_STATE_SLEEPING, looks);
    wall.threads[wall.samples[wall.sample_count - 1].thread].virtual_threads = 30;
}

static void begin_unmounted(void)
{
    begin();
    add_waits("demo.Log", LOG, 70 * NS_PER_S, false);
    lock.threads[lock.samples[0].thread].virtual_threads = 30;
}

static void test_unmounted_owners(void)
{
    begin_unmounted();
    add_sleepers(LOG WITHOUT_CARRIER, 200);
    finds(FINDING_LOCK_HELD_ASLEEP, "demo.Log", LOG_SITE, "one of the virtual threads always sleeps there");
    begin_unmounted();
    add_sleepers(LOG WITHOUT_CARRIER, 200);
    add_sleepers(LOG_LATER WITHOUT_CARRIER, 400);
    finds(FINDING_LOCK_HELD_ASLEEP, "demo.Log", LOG_SITE, "and several at another line, after they have released the lock");
    begin_unmounted();
    add_sleepers(LOG WITHOUT_CARRIER, 300);
    finds(FINDING_LOCK_CONTENDED, "demo.Log", LOG_SITE, "several at a time do not hold the lock");
    begin_unmounted();
    add_sleepers(LOG WITHOUT_CARRIER, 100);
    finds(FINDING_LOCK_CONTENDED, "demo.Log", LOG_SITE, "half of the time, or less");
    begin_unmounted();
    add_sleepers("demo.Main.run:1;demo.Main.rest:9" WITHOUT_CARRIER, 200);
    finds(FINDING_LOCK_CONTENDED, "demo.Log", LOG_SITE, "in another method");
    begin_unmounted();
    add_looks("pool", 9, LOG WITHOUT_CARRIER, JFR_STATE_SLEEPING, 200);
    finds(FINDING_LOCK_CONTENDED, "demo.Log", LOG_SITE, "a thread of the system is seen while it holds a lock");
    begin_unmounted();
    add_sleepers(LOG WITHOUT_CARRIER, 200);
    judge();
    tap_ok(first(FINDING_LOCK_HELD_ASLEEP) && f.list[0].threads == 30, "virtual threads with similar names are counted one by one");
    end();
}

static void test_owners(void)
{
    begin();
    add_waits("demo.Log", LOG, 70 * NS_PER_S, false);
    add_owners("demo.Log", ASLEEP, 15);
    add_owners("demo.Log", "Pseudo|JVM.[running]", 5);
    finds(FINDING_LOCK_HELD_ASLEEP, "demo.Log", LOG_SITE, "the owner sleeps, in 15 of 20 looks");
    begin();
    add_waits("demo.Log", LOG, 70 * NS_PER_S, false);
    add_owners("demo.Log", ASLEEP, 14);
    add_owners("demo.Log", "Pseudo|JVM.[running]", 6);
    finds(FINDING_LOCK_CONTENDED, "demo.Log", LOG_SITE, "in 14 of them, which may be half the time");
    begin();
    add_waits("demo.Log", LOG, 70 * NS_PER_S, false);
    add_owners("demo.Other", ASLEEP, 20);
    finds(FINDING_LOCK_CONTENDED, "demo.Log", LOG_SITE, "another lock's owner sleeps");
    begin();
    add_waits("demo.Log", LOG, 70 * NS_PER_S, false);
    add_owners("demo.Log", LOG ";Native|java.io.FileOutputStream.writeBytes", 20);
    finds(FINDING_LOCK_HELD_IN_IO, "demo.Log", LOG_SITE, "the owner writes");
    begin();
    add_waits("demo.Log", LOG, 70 * NS_PER_S, false);
    add_owners("demo.Log", LOG ";java.net.SocketInputStream.socketRead0", 20);
    finds(FINDING_LOCK_HELD_IN_IO, "demo.Log", LOG_SITE, "in an interpreted frame of a native method");
    begin();
    add_waits("demo.Log", LOG, 70 * NS_PER_S, false);
    add_owners("demo.Log", LOG ";java.io.BufferedWriter.write:221", 20);
    finds(FINDING_LOCK_CONTENDED, "demo.Log", LOG_SITE, "in a method that is not native");
    begin();
    add_owners("demo.Log", ASLEEP, 20);
    is_silent("who sleeps in a lock that nobody waits for");
}

static void add_writers(uint64_t readers)
{
    begin();
    add_waits(RWLOCK "$NonfairSync", WRITES, 5000 * NS_PER_MS, true);
    add_waits(RWLOCK "$NonfairSync", READS, readers, true);
}

static void test_writers(void)
{
    add_writers(500 * NS_PER_MS);
    judge();
    tap_ok(f.count && strstr(findings_text(&f, f.list[0].text), "writers waited 5.00 s for "), "the time that writers waited is reported");
    end();
    add_writers(500 * NS_PER_MS);
    finds(FINDING_WRITERS_STARVE, RWLOCK "$NonfairSync", "demo.Cache.put:7", "readers wait a tenth of what writers do");
    add_writers(501 * NS_PER_MS);
    finds(FINDING_LOCK_CONTENDED, RWLOCK "$NonfairSync", "demo.Cache.put:7", "a little more: both wait");
    begin();
    add_wait(&(struct wait){"writer", 9, RWLOCK "$NonfairSync", "other", NULL, WRITES, 5000 * NS_PER_MS, true, false, 0});
    finds(FINDING_LOCK_CONTENDED, RWLOCK "$NonfairSync", "demo.Cache.put:7", "a writer that waits for a writer");
    add_writers(500 * NS_PER_MS);
    e.sources &= ~SOURCE_BIT(SOURCE_OWNERS);
    finds(FINDING_LOCK_CONTENDED, RWLOCK "$NonfairSync", "demo.Cache.put:7", "where nothing tells of owners, writers may wait for writers");
}

static void test_deadlock(void)
{
    begin();
    add_wait(&(struct wait){"a", 11, "demo.Left", "b", "12", LOG, 9 * NS_PER_S, false, true, 0});
    add_wait(&(struct wait){"b", 12, "demo.Right", "a", "11", LOG, 9 * NS_PER_S, false, true, 0});
    judge();
    const struct finding *one = first(FINDING_DEADLOCK);
    const char *text = one ? findings_text(&f, one->text) : "";
    tap_ok(one && f.count == 1 && one->threads == 2 && one->score == SCORE_CERTAIN, "a deadlock: found, and its locks are reported once");
    tap_ok(strstr(text, "a waits for the monitor of demo.Left, which b holds, at " LOG_SITE "; b waits for the monitor of "
                        "demo.Right, which a holds, at " LOG_SITE),
           "%s", text);
    end();
    begin();
    add_wait(&(struct wait){"a", 11, "demo.Left", "b", "12", LOG, 1 * NS_PER_S, false, true, 0});
    is_silent("a wait that goes on for one who does not wait");
}

/* ---- pools ---- */

static void add_clients(void)
{
    begin();
    for (uint64_t i = 0; i < 4; i++)
        add_looks("client", 20 + i, CLIENT, JFR_STATE_PARKED, 200);
}

static void test_pool(void)
{
    add_clients();
    add_looks("pool-1-thread-1", 30, WORKER ";demo.Task.call:3;Native|java.lang.Thread.sleep", JFR_STATE_SLEEPING, 200);
    finds(FINDING_POOL_TOO_SMALL, "pool-1-thread-", "demo.Client.ask:9", "four ask, one works");
    add_clients();
    for (uint64_t i = 0; i < 4; i++)
        add_looks("pool-1-thread-1", 30 + i, WORKER ";demo.Task.call:3;Native|java.lang.Thread.sleep", JFR_STATE_SLEEPING, 200);
    is_silent("four ask, four work");
    add_clients();
    add_looks("pool-1-thread-1", 30, WORKER ";demo.Task.call:3", JFR_STATE_JAVA, 120);
    add_looks("pool-1-thread-1", 30, WORKER ";java.util.concurrent.ThreadPoolExecutor.getTask:1;" PARK, JFR_STATE_PARKED, 80);
    is_silent("the one that works has time: they wait for others");
    add_clients();
    for (uint64_t i = 0; i < 4; i++)
        add_looks("pool-1-thread-1", 30 + i, WORKER ";java.util.concurrent.ThreadPoolExecutor.getTask:1;" PARK, JFR_STATE_READY, 200);
    is_silent("the four that are to work wait for a processor");
    add_clients();
    add_looks("pool-1-thread-1", 30, WORKER ";demo.Task.call:3", JFR_STATE_JAVA, 200);
    e.processors = 1;
    is_silent("the one that works has the only processor");
    add_clients();
    add_looks("pool-1-thread-1", 30, WORKER ";demo.Task.call:3", JFR_STATE_JAVA, 200);
    e.processors = 2;
    finds(FINDING_POOL_TOO_SMALL, "pool-1-thread-", "demo.Client.ask:9", "there is one more");
    add_clients();
    add_looks("pool-1-thread-1", 30, WORKER ";demo.Task.call:3;Native|java.lang.Thread.sleep", JFR_STATE_SLEEPING, 200);
    add_looks("main", 1, "demo.Main.work:4", JFR_STATE_JAVA, 200);
    e.processors = 1;
    finds(FINDING_POOL_TOO_SMALL, "pool-1-thread-", "demo.Client.ask:9", "somebody else has it, and the one that works waits");
}

#define ASKER "demo.Client.ask:9"
#define SERVER                                                                                                                             \
    "java.util.concurrent.ThreadPoolExecutor.runWorker:1;demo.Request.run:5;" ASKER ";java.util.concurrent.FutureTask.awaitDone:1;" PARK
#define LATCH     "demo.Client.ask:9;java.util.concurrent.CountDownLatch.await:1;" PARK
#define RESULT    WORKER ";java.util.concurrent.FutureTask.run:1;demo.Task.call:3;Native|java.lang.Thread.sleep"
#define TASK_WAIT WORKER ";demo.Task.call:3;Native|java.lang.Thread.sleep"

static void add_latches(const char *stack, bool open)
{
    for (uint64_t i = 0; i < 4; i++)
        add_wait(&(struct wait){.thread = "client",
                                .id = 20 + i,
                                .class_name = "java.util.concurrent.CountDownLatch$Sync",
                                .stack = stack,
                                .weight = 10 * NS_PER_S,
                                .park = true,
                                .open = open});
}

static void test_pool_by_place(void)
{
    begin();
    for (uint64_t i = 0; i < 4; i++)
        add_looks("http-1", 20 + i, SERVER, JFR_STATE_PARKED, 200);
    add_looks("pool-1-thread-1", 30, RESULT, JFR_STATE_SLEEPING, 200);
    finds(FINDING_POOL_TOO_SMALL, "pool-1-thread-", "demo.Client.ask:9 < demo.Request.run:5", "threads of a server ask, one works");
    begin();
    for (uint64_t i = 0; i < 4; i++)
        add_looks("http-1", 20 + i, SERVER, JFR_STATE_PARKED, 200);
    for (uint64_t i = 0; i < 4; i++)
        add_looks("pool-1-thread-1", 30 + i, RESULT, JFR_STATE_SLEEPING, 200);
    is_silent("threads of a server ask, four work");
    begin();
    for (uint64_t i = 0; i < 4; i++)
        add_looks("http-1", 20 + i, SERVER, JFR_STATE_PARKED, 200);
    add_looks("pool-1-thread-1", 30, TASK_WAIT, JFR_STATE_SLEEPING, 200);
    is_silent("threads of a server ask others, while an endless loop occupies a pool");
}

static void test_nested_pool(void)
{
    add_clients();
    for (uint64_t i = 0; i < 2; i++)
        add_looks("pool-1-thread-1", 30 + i, WORKER ";demo.Task.call:3;java.util.concurrent.FutureTask.awaitDone:1;" PARK, JFR_STATE_PARKED,
                  200);
    finds(FINDING_POOL_TOO_SMALL, "pool-1-thread-", "demo.Task.call:3", "a pool whose tasks wait for tasks of the pool");
    add_clients();
    for (uint64_t i = 0; i < 2; i++)
        add_looks("pool-1-thread-1", 30 + i, WORKER ";demo.Task.call:3;java.util.concurrent.FutureTask.awaitDone:1;" PARK, JFR_STATE_PARKED,
                  200);
    add_looks("pool-2-thread-1", 40, RESULT, JFR_STATE_SLEEPING, 20);
    add_looks("pool-2-thread-1", 40, WORKER ";java.util.concurrent.ThreadPoolExecutor.getTask:1;" PARK, JFR_STATE_PARKED, 180);
    finds(FINDING_POOL_TOO_SMALL, "pool-1-thread-", "demo.Client.ask:9", "a pool whose tasks wait for another pool, which has time");
    add_clients();
    for (uint64_t i = 0; i < 2; i++)
        add_looks("pool-1-thread-1", 30 + i, WORKER ";demo.Task.call:3;java.util.concurrent.CountDownLatch.await:1;" PARK, JFR_STATE_PARKED,
                  200);
    finds(FINDING_POOL_TOO_SMALL, "pool-1-thread-", "demo.Client.ask:9", "a pool whose tasks wait for latches");
}

static void add_workers(uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        add_looks("pool-1-thread-1", 30 + i, TASK_WAIT, JFR_STATE_SLEEPING, 200);
}

static void test_timed_pool(void)
{
    begin();
    add_latches(LATCH, false);
    add_workers(2);
    finds(FINDING_POOL_TOO_SMALL, "pool-1-thread-", "demo.Client.ask:9", "four wait for latches, two work");
    begin();
    add_latches(LATCH, false);
    add_workers(1);
    is_silent("the single one that works may be an endless loop");
    begin();
    add_latches(LATCH, true);
    add_workers(2);
    is_silent("four wait for latches until the end");
    begin();
    add_latches(LATCH, false);
    add_workers(4);
    is_silent("four wait for latches, four work");
}

#define FORK "java.util.concurrent.ForkJoinWorkerThread.run:1;java.util.concurrent.ForkJoinPool.runWorker:1"
#define JOIN "demo.Client.ask:9;java.util.concurrent.CompletableFuture.join:1;java.util.concurrent.CompletableFuture.waitingGet:1;" PARK

static void add_joins(void)
{
    begin();
    for (uint64_t i = 0; i < 4; i++)
        add_looks("client", 20 + i, JOIN, JFR_STATE_PARKED, 200);
}

static void test_pool_of_forks(void)
{
    add_joins();
    add_looks("ForkJoinPool-1-worker-1", 30, FORK ";java.util.concurrent.ForkJoinTask.doExec:1;demo.Task.run:3", JFR_STATE_SLEEPING, 200);
    finds(FINDING_POOL_TOO_SMALL, "ForkJoinPool-1-worker-", "demo.Client.ask:9", "four join, one works");
    add_joins();
    add_looks("ForkJoinPool-1-worker-1", 30, FORK ";" PARK, JFR_STATE_PARKED, 200);
    is_silent("four join what no pool does: its worker is idle");
}

#define TAKE      ";java.util.concurrent.ArrayBlockingQueue.take:1;" PARK
#define BORROW    "demo.Request.run:5;demo.Query.ask:9"
#define CONDITION "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject"

#define SECONDS 10.0

enum { MOST_THREADS = 20 };

/* `threads` threads. In each slot of 100 ms all but `busy` of them wait; in every `gap`th slot one more waits. */
static void add_turns(const char *name, const char *stack, const char *class_name, uint64_t threads, uint64_t busy, uint64_t gap)
{
    uint64_t slots = 100;
    for (uint64_t slot = 0; slot < slots; slot++)
        for (uint64_t i = 0; i < threads; i++) {
            bool waits = (slot + i) % threads >= busy || (gap && slot % gap == 0 && (slot + i) % threads == 0);
            if (waits)
                add_wait(&(struct wait){.thread = name,
                                        .id = 100 + i,
                                        .class_name = class_name,
                                        .stack = stack,
                                        .weight = 100 * NS_PER_MS,
                                        .park = true,
                                        .start_ns = (int64_t)(slot * 100 * NS_PER_MS)});
        }
}

static double drawn(double mean)
{
    return -mean * log(1 - drand48());
}

static uint32_t earliest(const double *times, uint32_t count)
{
    uint32_t at = 0;
    for (uint32_t i = 1; i < count; i++)
        at = times[i] < times[at] ? i : at;
    return at;
}

/* A wait as the agent records it: not if it began before the recording, and until now if it has not ended. It begins at s seconds, and
 * takes t seconds. */
static void add_turn(uint32_t thread, double s, double t)
{
    if (s >= 0 && s < SECONDS)
        add_wait(&(struct wait){.thread = "request",
                                .id = 100 + thread,
                                .class_name = CONDITION,
                                .stack = BORROW TAKE,
                                .weight = (uint64_t)(fmin(t, SECONDS - s) * NS_PER_S),
                                .park = true,
                                .open = s + t > SECONDS,
                                .start_ns = (int64_t)(s * NS_PER_S)});
}

/* Threads that use one of `size` resources for `held` seconds each time. Before they go on, they wait `delay` for a processor. */
static void add_pool(uint32_t threads, uint32_t size, double held, double delay)
{
    double comes[MOST_THREADS], returned[MOST_THREADS];
    for (uint32_t i = 0; i < MOST_THREADS; i++)
        comes[i] = returned[i] = -SECONDS;
    for (uint32_t i, r; i = earliest(comes, threads), r = earliest(returned, size), comes[i] < SECONDS;) {
        double gets = fmax(comes[i], returned[r]) + drawn(delay);
        if (returned[r] > comes[i])
            add_turn(i, comes[i], gets - comes[i]);
        returned[r] = gets + held + drawn(delay);
        comes[i] = returned[r] + drawn(delay);
    }
}

/* Consumers of tasks of 50 ms that arrive at random, `busy` of them at the same time on average. */
static void add_consumers(uint32_t threads, double busy)
{
    double done[MOST_THREADS];
    for (uint32_t i = 0; i < MOST_THREADS; i++)
        done[i] = -SECONDS;
    for (double arrives = -SECONDS; arrives < SECONDS; arrives += drawn(0.05 / busy)) {
        uint32_t i = earliest(done, threads);
        if (done[i] < arrives)
            add_turn(i, done[i], arrives - done[i]);
        done[i] = fmax(done[i], arrives) + drawn(0.05);
    }
}

static void test_turns(void)
{
    const char *what = "java.util.concurrent.ArrayBlockingQueue.take", *site = "demo.Query.ask:9 < demo.Request.run:5";
    srand48(1);
    begin();
    add_pool(20, 2, 0.5, 0.001);
    finds(FINDING_POOL_TOO_SMALL, what, site, "waits that take half of the recording");
    begin();
    add_pool(20, 2, 0.04, 0.005);
    finds(FINDING_POOL_TOO_SMALL, what, site, "threads that get a processor late");
    begin();
    add_pool(20, 5, 0.02, 0.004);
    finds(FINDING_POOL_TOO_SMALL, what, site, "five resources, and threads that get a processor late");
    for (uint32_t threads = 2; threads <= MOST_THREADS; threads += threads / 2)
        for (double busy = 0.5; busy < 0.95 * threads; busy *= 1.2) {
            begin();
            add_consumers(threads, busy);
            judge();
            tap_ok(!f.count, "%u consumers, of which %.1f are busy: nothing", threads, busy);
            end();
        }
}

static void test_queues(void)
{
    begin();
    add_turns("request", BORROW TAKE, CONDITION, 6, 2, 0);
    finds(FINDING_POOL_TOO_SMALL, "java.util.concurrent.ArrayBlockingQueue.take", "demo.Query.ask:9 < demo.Request.run:5",
          "six take turns with two");
    begin();
    add_turns("request", BORROW TAKE, CONDITION, 6, 2, 3);
    finds(FINDING_POOL_TOO_SMALL, "java.util.concurrent.ArrayBlockingQueue.take", "demo.Query.ask:9 < demo.Request.run:5",
          "and a third of the time nobody but one has what is given back");
    begin();
    add_turns("request", BORROW TAKE, CONDITION, 6, 2, 2);
    is_silent("half of the time one is busy, and half of it two: as work comes");
    begin();
    add_turns("request", BORROW TAKE, CONDITION, 6, 0, 0);
    is_silent("all of them wait: for work");
    begin();
    add_turns("worker", WORKER ";java.util.concurrent.ThreadPoolExecutor.getTask:1" TAKE, CONDITION, 6, 2, 0);
    is_silent("workers of a pool that has two tasks");
    begin();
    add_turns("request", BORROW TAKE, CONDITION, 6, 2, 0);
    add_turns("client", "demo.Client.ask:3;" PARK, "java.util.concurrent.CountDownLatch$Sync", 6, 2, 0);
    is_silent("two clients may give them work");
    begin();
    add_turns("request", BORROW ";demo.ConnectionPool.get:4" TAKE, CONDITION, 6, 2, 2);
    finds(FINDING_POOL_TOO_SMALL, "java.util.concurrent.ArrayBlockingQueue.take", "demo.ConnectionPool.get:4 < demo.Query.ask:9",
          "a pool by its name");
    begin();
    add_turns("request", BORROW ";demo.ThreadPool.next:4" TAKE, CONDITION, 6, 2, 2);
    is_silent("a pool of threads, by its name");
}

static void test_lenders(void)
{
    static const char semaphore[] = "java.util.concurrent.Semaphore$NonfairSync";
    begin();
    add_turns("request", BORROW ";java.util.concurrent.Semaphore.acquire:1;" PARK, semaphore, 6, 2, 2);
    finds(FINDING_POOL_TOO_SMALL, "java.util.concurrent.Semaphore.acquire", "demo.Query.ask:9 < demo.Request.run:5", "permits");
    begin();
    add_turns("request", BORROW ";java.util.concurrent.Semaphore.acquire:1;" PARK, semaphore, 1, 0, 0);
    is_silent("permits that one waits for");
    begin();
    add_turns("virtual-*", BORROW ";java.util.concurrent.Semaphore.acquire:1;" PARK, semaphore, 1, 0, 0);
    for (uint32_t i = 0; i < lock.thread_count; i++)
        lock.threads[i].virtual_threads = 30;
    finds(FINDING_POOL_TOO_SMALL, "java.util.concurrent.Semaphore.acquire", "demo.Query.ask:9 < demo.Request.run:5",
          "permits that virtual threads wait for, whose names have one pattern");
    begin();
    uint32_t answers = 0;
    for (double at = 0; at < SECONDS; at += drawn(0.005), answers++)
        add_turn(0, at, drawn(0.15));
    for (uint32_t i = 0; i < lock.thread_count; i++)
        lock.threads[i].virtual_threads = answers;
    is_silent("virtual threads that wait once each, for an answer");
    begin();
    e.processors = 1;
    add_turns("request", BORROW ";java.util.concurrent.Semaphore.acquire:1;" PARK, semaphore, 6, 2, 2);
    maker_sample(&cpu, "demo.Query.ask:10", 7500 * NS_PER_MS);
    judge();
    tap_ok(!first(FINDING_POOL_TOO_SMALL), "permits, where the processor is in use for three quarters of the time");
    end();
    begin();
    add_looks("request", 7, BORROW ";org.apache.commons.pool.impl.GenericObjectPool.borrowObject:1;Native|java.lang.Object.wait",
              JFR_STATE_WAITING, 100);
    finds(FINDING_POOL_TOO_SMALL, "org.apache.commons.pool.impl.GenericObjectPool.borrowObject", "demo.Query.ask:9 < demo.Request.run:5",
          "a library's pool, by the wall clock");
    begin();
    add_looks("request", 7, BORROW ";org.apache.commons.pool.impl.GenericObjectPool.borrowObject:1;Native|java.lang.Object.wait",
              JFR_STATE_WAITING, 43);
    is_silent("which may be one thread for a seventh of the time");
    begin();
    add_turns("request", BORROW ";com.zaxxer.hikari.util.ConcurrentBag.borrow:1;" PARK, CONDITION, 1, 0, 0);
    finds(FINDING_POOL_TOO_SMALL, "com.zaxxer.hikari.util.ConcurrentBag.borrow", "demo.Query.ask:9 < demo.Request.run:5",
          "another, by its waits");
}

#define OWN_CONDITION ";" CONDITION ".await:1;" PARK

/* Pools that the program wrote itself. */
static void test_own_pools(void)
{
    begin();
    add_turns("request", BORROW OWN_CONDITION, CONDITION, 6, 2, 0);
    finds(FINDING_POOL_TOO_SMALL, CONDITION ".await", "demo.Query.ask:9 < demo.Request.run:5", "six take turns with two, at a condition");
    begin();
    add_turns("request", BORROW OWN_CONDITION, CONDITION, 6, 2, 2);
    is_silent("a condition that comes at random");
    begin();
    add_turns("request", BORROW ";java.util.concurrent.CyclicBarrier.await:1" OWN_CONDITION, CONDITION, 6, 2, 0);
    is_silent("a barrier");
    begin();
    add_looks("request", 7, BORROW ";demo.Sessions.acquire:4;Native|java.lang.Object.wait", JFR_STATE_WAITING, 100);
    add_looks("request", 8, BORROW ";demo.Sessions.acquire:4;Native|java.lang.Object.wait", JFR_STATE_WAITING, 100);
    finds(FINDING_POOL_TOO_SMALL, "demo.Sessions.acquire", "demo.Sessions.acquire:4 < demo.Query.ask:9",
          "Object.wait in a method that borrows");
    begin();
    add_looks("request", 7, BORROW ";demo.Sessions.next:4;Native|java.lang.Object.wait", JFR_STATE_WAITING, 100);
    add_looks("request", 8, BORROW ";demo.Sessions.next:4;Native|java.lang.Object.wait", JFR_STATE_WAITING, 100);
    is_silent("in a method whose name does not say so");
}

/* ---- halts of all threads ---- */

static void test_storm(void)
{
    begin();
    add_halts(HALT_SAFEPOINTS_COUNTED, "", 10 * 1000, 260);
    judge();
    tap_ok(first(FINDING_SAFEPOINT_STORM) && f.list[0].count == 260, "26 safepoints a second: found");
    end();
    begin();
    add_halts(HALT_SAFEPOINTS_COUNTED, "", 10 * 1000, 220);
    is_silent("22, which may be less than 20");
    begin();
    e.duration_ns = 200 * NS_PER_MS;
    add_halts(HALT_SAFEPOINTS_COUNTED, "", 10 * 1000, 49);
    is_silent("49 within a moment");
    begin();
    add_halts(HALT_SAFEPOINTS_COUNTED, "", 10 * 1000, 1000);
    add_halts(HALT_GC, "Copy, Allocation Failure", 10 * 1000, 900);
    is_silent("100, most of them for garbage collection");
}

static void add_all_late(const uint64_t *ms, int count)
{
    begin();
    for (int i = 0; i < count; i++)
        add_late(ms[i] * NS_PER_MS, "demo.Sum.loop:9");
}

static void test_late(void)
{
    static const uint64_t even[] = {50, 50, 50, 50, 50}, little[] = {4, 4, 4, 4, 4}, chance[] = {200, 1, 1, 1, 1}, spread[] = {30, 40, 50};
    add_all_late(even, 5);
    finds(FINDING_LATE_AT_SAFEPOINTS, "", "demo.Sum.loop:9", "a loop of 50 ms");
    add_all_late(even, 2);
    add_late(40 * NS_PER_MS, "demo.Sum.loop:10");
    finds(FINDING_LATE_AT_SAFEPOINTS, "", "demo.Sum.loop:9", "the lines of a loop are one place");
    add_all_late(spread, 3);
    is_silent("30, 40 and 50 ms: three tell little of their mean");
    add_all_late(even, 2);
    is_silent("two times only");
    add_all_late(little, 5);
    is_silent("a loop of 4 ms");
    add_all_late(chance, 5);
    is_silent("a long one, once");
}

static void add_collections(int asked, int others)
{
    begin();
    add_halts(HALT_GC, "Copy, Allocation Failure", 5 * NS_PER_MS, others);
    for (int i = 0; i < asked; i++) {
        struct halt one = {.kind = HALT_GC, .ns = 5 * NS_PER_MS, .count = 1, .what = halt_word("MSC, System.gc()")};
        halts_add(&halts, &one);
    }
}

static void test_system_gc(void)
{
    add_collections(3, 7);
    add_looks("main", 1, "demo.Cache.trim:5;java.lang.System.gc:1;java.lang.Runtime.gc", JFR_STATE_BLOCKED, 2);
    finds(FINDING_SYSTEM_GC, "System.gc()", "demo.Cache.trim:5", "3 of 10 pauses, and who was seen in the call");
    add_collections(2, 8);
    is_silent("2 of 10");
    add_collections(1, 0);
    is_silent("one call");
    add_collections(0, 50);
    is_silent("no call");
}

/* ---- outside ---- */

static void test_sockets(void)
{
    begin();
    add_halts(HALT_SOCKET_READ, "till/10.0.0.1:80", NS_PER_S, 3);
    finds(FINDING_SLOW_SOCKET, "till/10.0.0.1:80", "demo.Main.work:4", "a peer that takes a second");
    begin();
    add_halts(HALT_SOCKET_READ, "till/10.0.0.1:80", NS_PER_S, 2);
    is_silent("twice only");
    begin();
    add_halts(HALT_SOCKET_READ, "till/10.0.0.1:80", 200 * NS_PER_MS, 40);
    is_silent("a peer that takes 200 ms");
    begin();
    add_halts(HALT_SOCKET_READ, "till/10.0.0.1:80", 20 * NS_PER_MS, 4);
    add_halts(HALT_SOCKET_READ, "till/10.0.0.1:80", NS_PER_S, 3);
    is_silent("a peer that is slow at times");
    begin();
    add_reads("desk/10.0.0.2:50900", 2 * NS_PER_S, 2 * NS_PER_S);
    is_silent("a client that thinks for two seconds");
    begin();
    add_reads("desk/10.0.0.2:50900", 2 * NS_PER_S, 2 * NS_PER_S - NS_PER_MS / 5);
    is_silent("by clocks that differ a little");
    begin();
    add_reads("desk/10.0.0.2:32768", 2 * NS_PER_S, NS_PER_S);
    finds(FINDING_SLOW_SOCKET, "desk/10.0.0.2:32768", "demo.Main.work:4", "a peer with such a port, and several connections");
    begin();
    add_reads("desk/10.0.0.2:32767", 2 * NS_PER_S, 2 * NS_PER_S);
    finds(FINDING_SLOW_SOCKET, "desk/10.0.0.2:32767", "demo.Main.work:4", "a peer with a port of its own, and one");
}

#define QUESTION                                                                                                                           \
    "demo.Shop.serve:3;demo.Shop.order:7;demo.Price.of:5;java.net.SocketInputStream.read:1;Native|java.net.SocketInputStream.socketRead0"

/* 40 requests, each with `samples` samples of a thread that waits for an answer, of which every `of`-th is in a new wait. Each `per` of
 * these samples have a trace of their own. */
static void add_asking(int samples, int of, int per)
{
    for (int i = 0; i < 40 * samples; i++) {
        char trace[40];
        snprintf(trace, sizeof trace, "%032x", 1 + i / per);
        struct profile_sample s = {.time_ns = 1 + i * (int64_t)(50 * NS_PER_MS),
                                   .weight = 50 * NS_PER_MS,
                                   .stack = maker_stack(&wall, QUESTION),
                                   .outcome = maker_string(&wall, "complete"),
                                   .state = JFR_STATE_IO,
                                   .wait = i % of ? PROFILE_WAIT_SAME : PROFILE_WAIT_NEW};
        profile_thread(&wall, maker_string(&wall, "server"), 7, 7, &s.thread);
        locks_add_label(&wall, "trace_id", maker_string(&wall, trace), false, &s.labels);
        profile_add_sample(&wall, &s);
    }
    e.duration_ns = 40 * (uint64_t)samples * 50 * NS_PER_MS;
}

static void test_requests(void)
{
    begin();
    add_asking(4, 1, 4);
    finds(FINDING_REQUESTS_ONE_BY_ONE, "", "demo.Price.of:5 < demo.Shop.order:7", "four answers for each request");
    begin();
    add_asking(3, 1, 3);
    finds(FINDING_REQUESTS_ONE_BY_ONE, "", "demo.Price.of:5 < demo.Shop.order:7", "three answers for each request");
    begin();
    add_asking(2, 1, 2);
    is_silent("two answers for each request");
    begin();
    add_asking(4, 1, 1);
    is_silent("one answer for each request");
    begin();
    add_asking(8, 8, 8);
    is_silent("one late answer for each request");
    begin();
    add_asking(4, 1, 4);
    e.duration_ns *= 10;
    is_silent("many answers, but rarely");
    begin();
    add_asking(4, 1, 4);
    for (uint32_t i = 0; i < wall.sample_count; i++)
        wall.samples[i].wait = PROFILE_WAIT_UNKNOWN;
    is_silent("samples that do not say whether the wait is a new one");
    begin();
    add_asking(4, 1, 4);
    for (uint32_t i = 0; i < wall.sample_count; i++)
        wall.samples[i].labels = 0;
    is_silent("samples without a trace");
}

/* A thread waits for two fifths of the time to write. Other threads have a processor in a third of the time in which they can run. */
static void add_writes(const char *peer)
{
    begin();
    e.processors = 2;
    maker_sample(&cpu, "demo.Main.work:4", 2 * NS_PER_S);
    add_looks("main", 1, "demo.Main.work:4", JFR_STATE_JAVA, 20);
    add_looks("main", 1, "demo.Main.work:4", JFR_STATE_READY, 40);
    add_halts(HALT_SOCKET_WRITE, peer, NS_PER_S, 4);
}

static void test_writes(void)
{
    add_writes("shop/10.0.0.1:99");
    finds(FINDING_SLOW_WRITE, "shop/10.0.0.1:99", "demo.Main.work:4", "a peer that reads slowly");
    add_writes("localhost/127.0.0.1:99");
    is_silent("a peer on the same machine, which may have waited for a processor");
}

static void test_forces(void)
{
    begin();
    add_halts(HALT_FILE_FORCE, "/data/log", 10 * 1000, 500);
    finds(FINDING_FILE_FORCED, "/data/log", "demo.Main.work:4", "50 times a second");
    begin();
    add_halts(HALT_FILE_FORCE, "/data/log", 500 * NS_PER_MS, 5);
    finds(FINDING_FILE_FORCED, "/data/log", "demo.Main.work:4", "for a quarter of the time");
    begin();
    add_halts(HALT_FILE_FORCE, "/data/log", 4 * NS_PER_S, 2);
    is_silent("twice, for 4 s each");
    begin();
    add_halts(HALT_FILE_FORCE, "/data/log", 10 * NS_PER_MS, 50);
    is_silent("five times a second, of 10 ms");
    begin();
    e.sources &= ~SOURCE_BIT(SOURCE_FORCES);
    add_looks("main", 1, "demo.Log.flush:8;sun.nio.ch.FileChannelImpl.force:1;Native|sun.nio.ch.FileDispatcherImpl.force0", JFR_STATE_IO,
              100);
    judge();
    tap_ok(f.count == 1 && f.list[0].count == 100 && f.list[0].threads == 1, "by the wall clock: by so many samples, of one thread");
    end();
    begin();
    e.sources &= ~SOURCE_BIT(SOURCE_FORCES);
    add_looks("main", 1, "demo.Log.flush:8;sun.nio.ch.FileChannelImpl.force:1;Native|sun.nio.ch.FileDispatcherImpl.force0", JFR_STATE_IO,
              100);
    finds(FINDING_FILE_FORCED, "", "demo.Log.flush:8", "by the wall clock, half of the time");
    begin();
    e.sources &= ~SOURCE_BIT(SOURCE_FORCES);
    add_looks("main", 1, "demo.Log.flush:8;sun.nio.ch.FileChannelImpl.force:1;Native|sun.nio.ch.FileDispatcherImpl.force0", JFR_STATE_IO,
              10);
    is_silent("by the wall clock, seldom");
    begin();
    add_looks("main", 1, "demo.Log.flush:8;java.io.FileDescriptor.sync:1;Native|java.io.FileDescriptor.sync0", JFR_STATE_IO, 100);
    finds(FINDING_FILE_FORCED, "", "demo.Log.flush:8", "FileDescriptor.sync, which has no event");
    begin();
    add_looks("main", 1, "demo.Log.flush:8;sun.nio.ch.FileChannelImpl.force:1", JFR_STATE_IO, 100);
    finds(FINDING_FILE_FORCED, "", "demo.Log.flush:8", "FileChannel.force, so short that it has no event");
    begin();
    add_looks("main", 1, "demo.Log.flush:8;sun.nio.ch.FileChannelImpl.force:1", JFR_STATE_IO, 100);
    add_halts(HALT_FILE_FORCE, "/data/log", 10 * NS_PER_MS, 500);
    finds(FINDING_FILE_FORCED, "/data/log", "demo.Main.work:4", "what has events is told once");
}

static void test_pinned(void)
{
    begin();
    add_halts(HALT_PINNED, "", NS_PER_S, 3);
    finds(FINDING_PINNED_CARRIER, "", "demo.Main.work:4", "carriers that are kept for 3 s");
    begin();
    add_halts(HALT_PINNED, "", NS_PER_S, 2);
    is_silent("twice only");
    begin();
    add_halts(HALT_PINNED, "", 30 * NS_PER_MS, 10);
    is_silent("for 0.3 s");
}

/* ---- exceptions ---- */

#define THROW                                                                                                                              \
    "demo.Parser.parse:30;demo.NoNumber.<init>:5;java.lang.RuntimeException.<init>:1;java.lang.Throwable.<init>:1;"                        \
    "java.lang.Throwable.fillInStackTrace:1;Native|java.lang.Throwable.fillInStackTrace"

#define THROW_IN_CONSTRUCTOR                                                                                                               \
    "demo.Cart.add:3;demo.Order.<init>:8;demo.Order.<init>:5;java.lang.IllegalArgumentException.<init>:1;"                                 \
    "java.lang.RuntimeException.<init>:1;java.lang.Throwable.<init>:1;java.lang.Throwable.fillInStackTrace:1"

/* The JVM throws a StackOverflowError itself: no Java method fills in its stack trace. */
#define THROW_OF_JVM "demo.Tree.walk:7;demo.Tree.walk:9;Native|libjvm.java_lang_Throwable::fill_in_stack_trace:0"

/* Of a hundred samples. */
static void add_throws(int throws, const char *stack, uint64_t weight)
{
    begin();
    for (int i = 0; i < 100; i++)
        maker_sample(&cpu, i < throws ? stack : "demo.Parser.parse:31", weight);
}

static void test_exceptions(void)
{
    add_throws(30, THROW_OF_JVM, 20 * NS_PER_MS);
    finds(FINDING_EXCEPTIONS, "", "demo.Tree.walk:9 < demo.Tree.walk:7", "exceptions that the JVM throws itself");
    add_throws(30, THROW_IN_CONSTRUCTOR, 20 * NS_PER_MS);
    finds(FINDING_EXCEPTIONS, "java.lang.IllegalArgumentException", "demo.Order.<init>:5 < demo.Order.<init>:8",
          "a constructor that throws is no exception");
    add_throws(30, THROW, 20 * NS_PER_MS);
    finds(FINDING_EXCEPTIONS, "demo.NoNumber", "demo.Parser.parse:30", "30 % of the CPU time");
    add_throws(9, THROW, 20 * NS_PER_MS);
    finds(FINDING_EXCEPTIONS, "demo.NoNumber", "demo.Parser.parse:30", "9 %");
    add_throws(8, THROW, 20 * NS_PER_MS);
    is_silent("8 %, which may be 4");
    add_throws(30, THROW, NS_PER_MS / 100 * 229);
    finds(FINDING_EXCEPTIONS, "demo.NoNumber", "demo.Parser.parse:30", "0.501 % of a processor");
    add_throws(30, THROW, NS_PER_MS / 100 * 228);
    is_silent("a program that is idle, but for 0.499 % of a processor");
    begin();
    e.throws = (struct recorded_throws){200000, 10 * NS_PER_S};
    add_halts(HALT_EXCEPTION, "demo.NoNumber", 0, 20);
    add_halts(HALT_EXCEPTION, "demo.Other", 0, 3);
    finds(FINDING_EXCEPTIONS, "demo.NoNumber", "demo.Main.work:4", "20,000 a second, by the JVM's count");
    begin();
    e.sources &= ~SOURCE_BIT(SOURCE_THROWN);
    e.throws = (struct recorded_throws){200000, 10 * NS_PER_S};
    add_halts(HALT_EXCEPTION, "java.lang.NoSuchMethodError", 0, 3);
    judge();
    tap_ok(first(FINDING_EXCEPTIONS) && text_is(f.list[0].subject, "") && !strstr(findings_text(&f, f.list[0].text), "NoSuchMethodError"),
           "of errors alone, nothing is said of the exceptions: %s", f.count ? findings_text(&f, f.list[0].text) : "");
    end();
    begin();
    e.throws = (struct recorded_throws){2000, 10 * NS_PER_S};
    is_silent("200 a second");
}

/* ---- processors, memory, threads, the recording ---- */

static void test_cpu(void)
{
    begin();
    e.processors = 2;
    maker_sample(&cpu, "demo.Main.run:1;demo.Sum.add:7;java.lang.Math.abs:1", 15 * NS_PER_S);
    add_looks("worker", 7, "demo.Main.run:1", JFR_STATE_READY, 110);
    finds(FINDING_CPU_SATURATED, "", "demo.Sum.add:7", "0.55 threads wait for one of two processors, which the program keeps busy");
    begin();
    e.processors = 2;
    maker_sample(&cpu, "demo.Main.run:1;demo.Sum.add:7", 14 * NS_PER_S);
    add_looks("worker", 7, "demo.Main.run:1", JFR_STATE_READY, 110);
    judge();
    tap_ok(f.count == 1 && f.list[0].kind == FINDING_CPU_SATURATED && !f.list[0].site &&
               strstr(findings_text(&f, f.list[0].text), "other programs on the machine"),
           "which others do");
    end();
    begin();
    e.processors = 2;
    maker_sample(&cpu, "demo.Main.run:1;demo.Sum.add:7", 20 * NS_PER_S);
    add_looks("worker", 7, "demo.Main.run:1", JFR_STATE_READY, 90);
    is_silent("0.45 threads: it may be 0.36");
}

static void add_pauses(int count, uint64_t ns)
{
    begin();
    add_halts(HALT_GC, "Copy, Allocation Failure", ns, count);
}

static void add_pauses_of_concurrent(void)
{
    add_halts(HALT_GC, "ZGC Minor Pauses", 10 * 1000, 20);
}

/* Adds looks at a thread that can run, of which so many show it without a processor. The program hardly uses CPU time. */
static void add_shared(int ready)
{
    e.processors = 2;
    maker_sample(&cpu, "demo.Main.run:1", 100 * NS_PER_MS);
    add_looks("main", 1, "demo.Main.run:1", JFR_STATE_READY, ready);
    add_looks("main", 1, "demo.Main.run:1", JFR_STATE_JAVA, 50 - ready);
}

/* A pause of 1.2 s while other programs had half of the processors, with samples of the collector in it, each of 20 ms. */
static void add_shared_pause(int samples)
{
    add_pauses(1, 1200 * NS_PER_MS);
    add_shared(25);
    halts.list[0].start_ns = (int64_t)NS_PER_S;
    for (int i = 0; i < samples; i++) {
        maker_sample(&cpu, "Pseudo|JVM.[GC];Native|libjvm.mark", 20 * NS_PER_MS);
        cpu.samples[cpu.sample_count - 1].time_ns = halts.list[0].start_ns + i;
    }
}

/* Virtual threads that use so many of 200 samples, each of 50 ms, of the single processor. */
static void add_virtual(int samples, uint32_t threads)
{
    begin();
    e.processors = 1;
    for (int i = 0; i < samples; i++)
        maker_sample_of(&cpu, "virtual-*", "demo.Main.run:1;demo.Sum.add:7", 50 * NS_PER_MS);
    cpu.threads[cpu.samples[0].thread].virtual_threads = threads;
}

static void test_carriers(void)
{
    add_virtual(190, 2);
    finds(FINDING_CARRIERS_BUSY, "", "demo.Sum.add:7", "two virtual threads use 95 % of a processor");
    add_virtual(210, 2);
    finds(FINDING_CARRIERS_BUSY, "", "demo.Sum.add:7", "their samples stand for more than the processor has");
    add_virtual(190, 1);
    is_silent("a single one does");
    add_virtual(190, 0);
    is_silent("a thread that is not virtual does");
    add_virtual(160, 2);
    is_silent("two use 80 %");
}

static void test_gc(void)
{
    add_pauses(49, 6 * NS_PER_MS);
    judge();
    tap_ok(f.count == 1 && f.list[0].kind == FINDING_GC_PRESSURE && f.list[0].count == 49, "pauses for 2.94 %% of the time");
    end();
    add_pauses(48, 6 * NS_PER_MS);
    is_silent("2.88 %, which may be 2.07");
    begin();
    add_halts(HALT_GC, "Copy, Allocation Failure", 40 * NS_PER_MS, 50);
    maker_sample_of(&alloc, "main", "demo.Main.run:1;demo.List.grow:3;java.util.Arrays.copyOf:1", 5000);
    maker_sample_of(&alloc, "main", "demo.Main.run:1;demo.List.trim:9", 3000);
    judge();
    tap_ok(f.count && strstr(findings_text(&f, f.list[0].text), "; the largest part of the allocations (62 %) is at demo.List.grow:3"),
           "how much is said");
    end();
    begin();
    add_halts(HALT_GC, "Copy, Allocation Failure", 40 * NS_PER_MS, 50);
    maker_sample_of(&alloc, "main", "demo.Main.run:1;demo.List.grow:3;java.util.Arrays.copyOf:1", 5000);
    finds(FINDING_GC_PRESSURE, "", "demo.List.grow:3", "and who allocates most");
    begin();
    for (int i = 0; i < 100; i++)
        maker_sample(&cpu, i < 20 ? "Pseudo|JVM.[GC];Native|libjvm.mark" : "demo.Main.run:1", 200 * NS_PER_MS);
    add_pauses_of_concurrent();
    judge();
    tap_ok(f.count == 1 && f.list[0].kind == FINDING_GC_PRESSURE, "a collector that pauses little, and takes a fifth of the CPU time");
    end();
    begin();
    for (int i = 0; i < 100; i++)
        maker_sample(&cpu, i < 20 ? "Pseudo|JVM.[GC];Native|libjvm.mark" : "demo.Main.run:1", 200 * NS_PER_MS);
    add_halts(HALT_GC, "Pause Mark Start", 0, 2);
    judge();
    tap_ok(f.count == 1 && f.list[0].kind == FINDING_GC_PRESSURE && f.list[0].count == 2, "and one that hardly pauses at all");
    end();
    begin();
    for (int i = 0; i < 100; i++)
        maker_sample(&cpu, i < 20 ? "Pseudo|JVM.[GC];Native|libjvm.mark" : "demo.Main.run:1", 20 * NS_PER_MS);
    add_pauses_of_concurrent();
    is_silent("the same of a program that does little");
    begin();
    e.duration_ns = NS_PER_S;
    for (int i = 0; i < 100; i++)
        maker_sample(&cpu, "Pseudo|JVM.[GC];Native|libjvm.mark", 9 * NS_PER_MS);
    is_silent("a program that fills its heap when it starts");
    begin();
    add_halts(HALT_GC, "MarkSweepCompact, System.gc()", 100 * NS_PER_MS, 30);
    judge();
    tap_ok(f.count == 1 && f.list[0].kind == FINDING_SYSTEM_GC, "pauses that the program asks for are reported once");
    end();
    begin();
    for (int i = 0; i < 100; i++)
        maker_sample(&cpu, "Pseudo|JVM.[GC];Native|libjvm.mark", 30 * NS_PER_MS);
    add_halts(HALT_GC, "MarkSweepCompact, System.gc()", 100 * NS_PER_MS, 30);
    judge();
    tap_ok(f.count == 1 && f.list[0].kind == FINDING_SYSTEM_GC, "and so is the CPU time of these");
    end();
    add_pauses(1, 208 * NS_PER_MS);
    finds(FINDING_GC_LONG_PAUSE, "Copy, Allocation Failure", "", "a pause of 208 ms");
    add_pauses(1, 207 * NS_PER_MS);
    is_silent("one of 207 ms");
    add_pauses(1, 700 * NS_PER_MS);
    add_shared(45);
    is_silent("one of 700 ms, while other programs had nine tenths of the processors");
    add_shared_pause(30);
    finds(FINDING_GC_LONG_PAUSE, "Copy, Allocation Failure", "", "one of 1.2 s with half of the processors, in which the collector worked");
    add_shared_pause(2);
    is_silent("one of 1.2 s with half of the processors, in which the collector hardly worked");
    add_pauses(1, 1200 * NS_PER_MS);
    add_shared(0);
    finds(FINDING_GC_LONG_PAUSE, "Copy, Allocation Failure", "", "one of 1.2 s on an idle machine");
}

static void add_allocations(const char *frames, const char *class_name, uint64_t bytes, int count)
{
    for (int i = 0; i < count; i++) {
        struct profile_sample s = {.weight = bytes, .stack = maker_stack(&alloc, frames), .outcome = maker_string(&alloc, "complete")};
        profile_thread(&alloc, maker_string(&alloc, "main"), 1, 1, &s.thread);
        uint32_t name;
        allocated_name(&alloc, class_name, strlen(class_name), &name);
        allocated_label(&alloc, name, &s.labels);
        profile_add_sample(&alloc, &s);
    }
}

#define BOXES "demo.Main.run:1;demo.Sum.add:7;java.lang.Integer.valueOf:1081"

static void add_boxes(int count, uint64_t bytes)
{
    begin();
    add_allocations(BOXES, "java.lang.Integer", bytes, count);
    for (int i = count; i < 100; i++) { /* so many lines that none of them allocates much */
        char frames[64];
        snprintf(frames, sizeof frames, "demo.Main.run:1;demo.Other.work:%d", i + 1);
        add_allocations(frames, "[B", bytes, 1);
    }
}

/* 1 GB/s below one line of the program, at that many places of the JDK. */
static void add_compilation(int places)
{
    begin();
    for (int i = 0; i < 200; i++) {
        char frames[128];
        snprintf(frames, sizeof frames, "demo.Main.run:1;demo.Build.compile:7;com.sun.tools.javac.Parser.parse:%d", 1 + i % places);
        add_allocations(frames, "[B", 50000000, 1);
    }
}

static void test_allocations(void)
{
    begin();
    maker_sample(&alloc, "demo.Main.run:1;demo.List.grow:3", 100 * NS_PER_S);
    judge();
    tap_ok(f.count == 1 && strstr(findings_text(&f, f.list[0].text), "100.0 % of all") &&
               !strstr(findings_text(&f, f.list[0].text), "largest"),
           "no class is known, and none is said");
    end();
    add_boxes(26, 25000000);
    finds(FINDING_BOXING, "java.lang.Integer", "demo.Sum.add:7", "26 % of 250 MB/s are numbers");
    add_boxes(23, 25000000);
    is_silent("23 %, which may be 15.9");
    add_boxes(60, 2000000);
    finds(FINDING_BOXING, "java.lang.Integer", "demo.Sum.add:7", "half and more of 20 MB/s");
    add_boxes(60, 1900000);
    is_silent("of 19 MB/s, which may be 9.5 of them");
    begin();
    add_allocations("demo.Main.run:1;demo.Sum.add:7", "java.lang.Integer", 10000000, 60);
    is_silent("new Integer, which is no boxing");
    begin();
    add_allocations("demo.Main.run:1;demo.Buffer.grow:7;java.util.Arrays.copyOf:1", "[B", 10500000, 104);
    finds(FINDING_ALLOCATION_SITE, "byte[]", "demo.Buffer.grow:7", "109 MB/s at a line");
    begin();
    add_allocations("demo.Main.run:1;demo.Buffer.grow:7;java.util.Arrays.copyOf:1", "[B", 10000000, 104);
    is_silent("104 MB/s, and a little less by chance");
    add_compilation(4);
    finds(FINDING_ALLOCATION_SITE, "byte[]", "demo.Build.compile:7", "a line that allocates at four places in the JDK");
    add_compilation(40);
    is_silent("a line that calls so much of the JDK that it allocates at forty places");
}

/* One object a tick, each of a kilobyte, which stands for itself; `dies`: as many objects die as are allocated. 40 looks in 40 s. */
static void add_objects(bool dies)
{
    enum { SETS = 40, EACH = 40 };
    begin();
    live.start_ns = NS_PER_S;
    live.duration_ns = SETS * NS_PER_S;
    e.duration_ns = SETS * NS_PER_S;
    live.live_sets = calloc(SETS, sizeof *live.live_sets);
    live.objects = calloc(SETS * EACH, sizeof *live.objects);
    if (!live.live_sets || !live.objects)
        exit(1);
    live.live_set_count = live.live_set_cap = SETS;
    live.object_count = live.object_cap = SETS * EACH;
    for (uint64_t i = 0; i < SETS; i++)
        live.live_sets[i] = (struct profile_live_set){.time_ns = (int64_t)((i + 2) * NS_PER_S),
                                                      .collections = i + 1,
                                                      .old_collections = i + 1,
                                                      .old_before = i,
                                                      .heap_used = 1 << 20};
    for (uint64_t i = 0; i < SETS * EACH; i++) {
        uint64_t born = NS_PER_S + i * NS_PER_S / EACH, until = born + 2 * NS_PER_S;
        struct profile_object *o = &live.objects[i];
        o->is_alive = !dies || until > (SETS + 1) * NS_PER_S;
        o->sample = (struct profile_sample){.time_ns = (int64_t)born, .weight = 1024, .count = 1};
        o->sample.outcome = maker_string(&live, "complete");
        o->sample.stack = maker_stack(&live, "demo.Main.run:1;demo.Cache.put:7;java.util.HashMap.put:1");
        o->told_ns = (int64_t)(o->is_alive ? (SETS + 1) * NS_PER_S : until);
        o->size = 1024;
        allocated_label(&live, maker_string(&live, "demo.Entry"), &o->sample.labels);
        if (o->is_alive)
            profile_add_sample(&live, &o->sample);
    }
}

static void test_leak(void)
{
    add_objects(false);
    finds(FINDING_LEAK, "demo.Entry", "demo.Cache.put:7 < demo.Main.run:1", "what only grows");
    add_objects(false);
    for (uint32_t i = 0; i < live.live_set_count; i++)
        live.live_sets[i].old_collections = live.live_sets[i].old_before = 0;
    judge();
    tap_ok(first(FINDING_LEAK) && f.list[0].score < SCORE_WARNING, "without a collection of old objects: no warning");
    end();
    add_objects(true);
    is_silent("what dies after two seconds");
}

static void test_threads(void)
{
    begin();
    maker_book(&wall, "wall_unseen", "ended", 0, 240);
    judge();
    tap_ok(f.count == 1 && strstr(findings_text(&f, f.list[0].text), "240 threads ended moments after they had been started, 24 a"),
           "which threads they are");
    end();
    begin();
    maker_book(&wall, "wall_unseen", "ended", 0, 240);
    add_looks("main", 1, "demo.Main.run:1;demo.Server.serve:7;java.lang.Thread.start:1", JFR_STATE_JAVA, 3);
    finds(FINDING_THREAD_CHURN, "", "demo.Server.serve:7", "24 threads a second end");
    begin();
    maker_book(&wall, "wall_unseen", "ended", 0, 240);
    add_looks("reader", 2, "java.util.concurrent.ThreadPoolExecutor.addWorker:5;java.lang.Thread.start:1", JFR_STATE_JAVA, 3);
    maker_sample_of(&alloc, "main", "demo.Main.run:1;demo.Server.serve:9;java.lang.Thread.<init>:1", 1000);
    finds(FINDING_THREAD_CHURN, "", "demo.Server.serve:9", "only allocations show the program's line");
    begin();
    maker_book(&wall, "wall_unseen", "ended", 0, 240);
    add_looks("main", 1, "demo.Main.run:1;java.lang.Thread.sleep:1", JFR_STATE_SLEEPING, 3);
    add_looks("reader", 2, "java.util.concurrent.ThreadPoolExecutor.addWorker:5;java.lang.Thread.start:1", JFR_STATE_JAVA, 3);
    judge();
    tap_ok(f.count == 1 && !f.list[0].site && strstr(findings_text(&f, f.list[0].text), "most are started by the thread \"reader\""),
           "without a line of the program, the thread that starts them");
    end();
    begin();
    maker_book(&wall, "wall_unseen", "ended", 0, 230);
    is_silent("23, which may be 20.1");
    begin();
    e.duration_ns = NS_PER_S;
    maker_book(&wall, "wall_unseen", "ended", 0, 49);
    is_silent("49 in a moment");
}

/* Samples of the threads of so many clients, and of what makes them. */
static void add_http_clients(int count)
{
    begin();
    for (int i = 1; i <= count; i++) {
        char name[64];
        snprintf(name, sizeof name, "HttpClient-%d-SelectorManager", i);
        maker_sample_of(&cpu, name, "jdk.internal.net.http.HttpClientImpl$SelectorManager.run:9", NS_PER_MS);
    }
    maker_sample_of(&cpu, "HttpClient-1-Worker-1", "java.lang.Thread.run:1", NS_PER_MS);
    maker_sample_of(&alloc, "main", "demo.Main.run:1;demo.Prices.ask:9;java.net.http.HttpClient.newHttpClient:1", 1000);
}

static void test_clients(void)
{
    add_http_clients(24);
    finds(FINDING_CLIENTS, "", "demo.Prices.ask:9", "2.4 clients a second");
    add_http_clients(9);
    e.duration_ns = NS_PER_S;
    is_silent("9 clients, however fast");
    add_http_clients(17);
    is_silent("17 in 10 s, which may be 9.9");
}

static void add_books(int64_t lost, int64_t cpu_ns)
{
    begin();
    for (int i = 0; i < 100; i++)
        maker_sample(&cpu, "demo.Main.run:1", 10 * NS_PER_MS);
    maker_book(&cpu, "cpu", "", cpu_ns, 0);
    maker_book(&cpu, "lost", "queue_full", lost, 0);
}

#define NETTY    "io.netty.channel.nio.NioEventLoop.run:1;"
#define DEFAULT  "io.netty.channel.DefaultEventLoop.run:1;"
#define REACTS   WORKER ";reactor.core.scheduler.SchedulerTask.call:68"
#define TAKES    "io.netty.util.concurrent.SingleThreadEventExecutor.takeTask:1;java.util.concurrent.LinkedBlockingQueue.take:1;" PARK
#define SELECTS  "sun.nio.ch.SelectorImpl.select:1;Native|sun.nio.ch.EPoll.wait"
#define COMMON   "java.util.concurrent.ForkJoinPool.runWorker:1;java.util.concurrent.ForkJoinTask.doExec:1;"
#define A_WORKER "ForkJoinPool.commonPool-worker-1"
#define ASKS     "demo.Handler.handle:7;Native|java.lang.Thread.sleep"

static void test_blocked(void)
{
    begin();
    add_looks("loop-1", 7, NETTY ASKS, JFR_STATE_SLEEPING, 32);
    add_looks("loop-1", 7, NETTY SELECTS, JFR_STATE_IO, 168);
    finds(FINDING_EVENT_LOOP_BLOCKED, "", "demo.Handler.handle:7", "an event loop that sleeps for 0.16 of the time");
    begin();
    add_looks("loop-1", 7, NETTY ASKS, JFR_STATE_SLEEPING, 30);
    is_silent("0.15, which may be 0.1");
    begin();
    add_looks("loop-1", 7, NETTY SELECTS, JFR_STATE_IO, 200);
    add_looks("loop-2", 8, NETTY "demo.Handler.handle:7", JFR_STATE_JAVA, 200);
    add_looks("other", 9, ASKS, JFR_STATE_SLEEPING, 200);
    is_silent("one that waits for its connections, one that works, and a thread that nobody relies on");
    begin();
    add_looks("loop-1", 7, DEFAULT ASKS, JFR_STATE_SLEEPING, 40);
    add_looks("loop-1", 7, DEFAULT TAKES, JFR_STATE_PARKED, 160);
    finds(FINDING_EVENT_LOOP_BLOCKED, "", "demo.Handler.handle:7", "a loop that takes its tasks from a queue");
    begin();
    add_looks("parallel-3", 30, REACTS ";demo.Handler.handle:7", JFR_STATE_SLEEPING, 200);
    finds(FINDING_EVENT_LOOP_BLOCKED, "", "demo.Handler.handle:7", "a thread of Reactor that must not wait");
    begin();
    add_looks("boundedElastic-3", 30, REACTS ";demo.Handler.handle:7", JFR_STATE_SLEEPING, 200);
    is_silent("a thread of Reactor that may wait");
    begin();
    add_looks("loop-1", 7, DEFAULT TAKES, JFR_STATE_PARKED, 200);
    is_silent("such a loop without tasks");
    begin();
    add_looks(A_WORKER, 7, COMMON ASKS, JFR_STATE_SLEEPING, 57);
    finds(FINDING_COMMON_POOL_BLOCKED, "", "demo.Handler.handle:7", "a worker of the common pool that sleeps for 0.285 of the time");
    begin();
    add_looks(A_WORKER, 7, COMMON ASKS, JFR_STATE_SLEEPING, 54);
    is_silent("0.27, which may be 0.2");
    begin();
    add_looks("pool-1-worker-1", 7, COMMON ASKS, JFR_STATE_SLEEPING, 200);
    add_looks(A_WORKER, 8, COMMON "demo.Handler.handle:7;java.util.concurrent.ForkJoinTask.awaitDone:1;" PARK, JFR_STATE_PARKED, 200);
    is_silent("a pool of its own, and a worker that waits for others");
}

static void test_quality(void)
{
    add_books(80 * NS_PER_MS, NS_PER_S);
    is_silent("8 % are lost, which may be 4.1 of them");
    add_books(84 * NS_PER_MS, NS_PER_S);
    judge();
    tap_ok(first(FINDING_RECORDING_QUALITY) && f.count == 1 &&
               strstr(findings_text(&f, f.list[0].text), "8.4 % of the CPU time was sampled") &&
               !strstr(findings_text(&f, f.list[0].text), "could not"),
           "8.4 %% of the CPU time are lost, and nothing else is missing");
    end();
    add_books(84 * NS_PER_MS, NS_PER_S - 1);
    is_silent("of less than a second");
    add_books(0, NS_PER_S);
    maker_book(&cpu, "unseen", "not_drawn", 400 * NS_PER_MS, 0);
    is_silent("40 % for which the samples of other threads stand");
    add_books(0, NS_PER_S);
    maker_book(&cpu, "unseen", "profiler", 400 * NS_PER_MS, 0);
    is_silent("40 % of the agent's own thread");
    begin();
    for (int i = 0; i < 100; i++)
        maker_sample(&cpu, i < 52 ? "JIT compiled (approximate)|demo.Main.run:1" : "demo.Main.run:1", 10 * NS_PER_MS);
    maker_book(&cpu, "cpu", "", NS_PER_S, 0);
    judge();
    tap_ok(first(FINDING_RECORDING_QUALITY) && strstr(finding_remedy(&f.list[0]), "-agentpath"), "52 %% of the lines are approximate");
    end();
}

/* ---- the list ---- */

#define BEGAN ((int64_t)1000 * NS_PER_S)

static void begin_long(uint64_t seconds)
{
    begin();
    e.start_ns = BEGAN;
    e.duration_ns = seconds * NS_PER_S;
}

/* 8 s of waiting within the ten seconds that begin at this time, and one wait of 1 ms in each other second. */
static void add_trouble(uint64_t from)
{
    for (uint64_t i = 0; i < 100; i++)
        add_wait(&(struct wait){.thread = "waiter",
                                .id = 7,
                                .class_name = "demo.Log",
                                .stack = LOG,
                                .weight = i >= from && i < from + 10 ? 800 * NS_PER_MS : NS_PER_MS,
                                .start_ns = BEGAN + (int64_t)(i * NS_PER_S)});
}

static void test_windows(void)
{
    begin_long(100);
    add_trouble(40);
    judge();
    const struct finding *one = first(FINDING_LOCK_CONTENDED);
    tap_ok(one && f.count == 1 && one->from_ns == BEGAN + 40 * NS_PER_S && one->window_ns == 10 * NS_PER_S && !one->worst,
           "ten bad seconds of a hundred: found, with their time");
    tap_ok(one && one->lost_ns.value == 8 * NS_PER_S, "and with the figures of that time");
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    findings_print_text(out, &f, &(struct findings_print){.file = "app.jfr", .duration_ns = e.duration_ns});
    fclose(out);
    tap_ok(strstr(text, "worst    the 10.0 s from 1970-01-01T00:17:20Z; all figures") != NULL, "which is printed");
    free(text);
    end();
    begin_long(100);
    for (uint64_t i = 0; i < 100; i++)
        add_wait(&(struct wait){.thread = "waiter",
                                .id = 7,
                                .class_name = "demo.Log",
                                .stack = LOG,
                                .weight = 80 * NS_PER_MS,
                                .start_ns = BEGAN + (int64_t)(i * NS_PER_S)});
    is_silent("as much, evenly");
    begin_long(19);
    add_trouble(0);
    judge();
    one = first(FINDING_LOCK_CONTENDED);
    tap_ok(one && !one->from_ns, "a recording that has no two windows of ten seconds is judged as a whole");
    end();
    begin_long(100);
    for (uint64_t i = 0; i < 100; i++)
        add_wait(&(struct wait){.thread = "waiter",
                                .id = 7,
                                .class_name = "demo.Log",
                                .stack = LOG,
                                .weight = i >= 40 && i < 50 ? 900 * NS_PER_MS : 300 * NS_PER_MS,
                                .start_ns = BEGAN + (int64_t)(i * NS_PER_S)});
    judge();
    one = first(FINDING_LOCK_CONTENDED);
    tap_ok(one && f.count == 1 && one->worst && one->window_ns == 10 * NS_PER_S && one->lost_ns.value == 36 * NS_PER_S,
           "what is found in the whole has its worst window beside it");
    end();
    begin_long(100);
    add_wait(&(struct wait){
        .thread = "waiter", .id = 7, .class_name = "demo.Log", .stack = LOG, .weight = 15 * NS_PER_S, .start_ns = BEGAN + 33 * NS_PER_S});
    judge();
    one = first(FINDING_LOCK_CONTENDED);
    tap_ok(one && one->from_ns == BEGAN + 35 * NS_PER_S && one->lost_ns.value == 10 * NS_PER_S, "of a long wait a window has its part");
    end();
}

/* A hundred samples in each ten seconds. In one of these periods this many samples are of throws. */
static void add_throws_in_window(int throws)
{
    begin_long(100);
    for (int i = 0; i < 1000; i++) {
        uint32_t stack = maker_stack(&cpu, i >= 400 && i < 500 && (i - 400) * throws % 100 < throws ? THROW : "demo.Parser.parse:31");
        struct profile_sample s = {.time_ns = BEGAN + i * (int64_t)(100 * NS_PER_MS), .weight = 50 * NS_PER_MS, .stack = stack};
        s.outcome = maker_string(&cpu, "complete");
        profile_thread(&cpu, maker_string(&cpu, "main"), 1, 1, &s.thread);
        profile_add_sample(&cpu, &s);
    }
}

static void test_windows_by_chance(void)
{
    add_throws_in_window(13);
    judge();
    tap_ok(first(FINDING_EXCEPTIONS) && f.list[0].from_ns == BEGAN + 40 * NS_PER_S, "13 of 100 samples, in one window of 20");
    end();
    add_throws_in_window(10);
    is_silent("10 of 100, which in one of so many windows may be chance");
    begin_long(10);
    for (int i = 0; i < 100; i++)
        maker_sample(&cpu, i < 10 ? THROW : "demo.Parser.parse:31", 20 * NS_PER_MS);
    finds(FINDING_EXCEPTIONS, "demo.NoNumber", "demo.Parser.parse:30", "10 of 100 in the only one");
}

static void test_order(void)
{
    begin();
    add_halts(HALT_SOCKET_READ, "till:80", NS_PER_S, 4);
    add_halts(HALT_PINNED, "", NS_PER_S, 3);
    add_waits("demo.Log", LOG, 70 * NS_PER_S, false);
    judge();
    tap_ok(f.count == 3 && f.list[0].kind == FINDING_LOCK_CONTENDED && f.list[1].kind == FINDING_SLOW_SOCKET &&
               f.list[2].kind == FINDING_PINNED_CARRIER,
           "the worst first: %" PRIu32, f.count);
    tap_ok(!strcmp(finding_severity(&f.list[0]), "warning") && !strcmp(finding_severity(&f.list[1]), "info"), "and how bad they are");
    end();
    add_owner_looks(27);
    e.processors = 2;
    maker_sample(&cpu, "demo.Main.run:1", 5 * NS_PER_S);
    add_looks("other", 9, "demo.Main.run:1", JFR_STATE_READY, 200);
    judge();
    tap_ok(f.count == 2 && f.list[0].kind == FINDING_CPU_SATURATED && f.list[0].score < f.list[1].score &&
               f.list[1].kind == FINDING_LOCK_OWNER_PREEMPTED && f.list[1].has_cause,
           "if processors are scarce, that comes before the lock whose owners lack one");
    end();
}

static bool is_gap(enum finding_kind kind, enum source source)
{
    for (uint32_t i = 0; i < f.gap_count; i++)
        if (f.gaps[i].kind == kind && f.gaps[i].missing == source_infos[source].words)
            return true;
    return false;
}

static void test_gaps(void)
{
    begin();
    judge();
    tap_ok(!f.gap_count && !f.count, "with everything recorded all is judged");
    end();
    begin();
    e = (struct evidence){.duration_ns = 10 * NS_PER_S};
    judge();
    tap_ok(f.gap_count == FINDING_KINDS && !f.count, "with nothing, nothing");
    end();
    begin();
    e.sources = SOURCE_BIT(SOURCE_LOCKS) | SOURCE_BIT(SOURCE_WALL);
    add_halts(HALT_SOCKET_READ, "till:80", NS_PER_S, 4);
    judge();
    tap_ok(findings_judged(&f, FINDING_LOCK_CONTENDED) && findings_judged(&f, FINDING_FILE_FORCED), "what one of two sources tells");
    tap_ok(is_gap(FINDING_DEADLOCK, SOURCE_OWNERS) && is_gap(FINDING_LATE_AT_SAFEPOINTS, SOURCE_CPU), "and what is missing");
    tap_ok(f.count == 1 && findings_judged(&f, FINDING_SLOW_SOCKET), "what was found was judged");
    end();
}

static char *printed(void (*print)(FILE *, const struct findings *, const struct findings_print *), uint32_t top)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    print(out, &f, &(struct findings_print){"app.jfr", 10 * NS_PER_S, top});
    fclose(out);
    return text;
}

static void test_print(void)
{
    begin();
    e.sources &= ~SOURCE_BIT(SOURCE_SOCKETS);
    add_halts(HALT_PINNED, "", NS_PER_S, 3);
    add_waits("demo.Log\033[2J", LOG, 70 * NS_PER_S, false);
    judge();
    char *text = printed(findings_print_text, 1), *json = printed(findings_print_json, 0);
    tap_ok(strstr(text, "2 findings in app.jfr") && strstr(text, "warning 100  Threads queue for a lock") && strstr(text, LOG_SITE) &&
               strstr(text, "candor report --kind lock app.jfr") && strstr(text, "1 more; --top 0"),
           "as text");
    tap_ok(strstr(text, "nothing found: deadlock") && strstr(text, "reads of sockets (candor record"),
           "what is not there, and what is missing");
    tap_ok(!strchr(text, '\033'), "a name cannot write on the terminal");
    tap_ok(strstr(json, "\"id\": \"lock_contended\"") && strstr(json, "\"severity\": \"warning\"") &&
               strstr(json, "\"lost_ns\": 70000000000") && strstr(json, "\"id\": \"pinned_carrier\"") &&
               strstr(json, "\"missing\": \"reads of sockets\""),
           "as JSON");
    free(text);
    free(json);
    end();
}

/* Another diagnosis does not decide a rule that only lacks collections. */
static void test_print_undecided(void)
{
    struct overview overview = {.again = "4711"};
    for (int more = 0; more < 2; more++) {
        begin();
        e.sources &= ~(SOURCE_BIT(SOURCE_GROWTH) | (more ? SOURCE_BIT(SOURCE_SOCKETS) : 0));
        judge();
        char line[128], *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        findings_print_text(out, &f, &(struct findings_print){"app.jfr", 10 * NS_PER_S, more, .overview = &overview});
        fclose(out);
        tap_ok(!!strstr(text, " rules found nothing; --top 0 lists them\n") == more && !!strstr(text, "nothing found: deadlock") == !more,
               "rules that found nothing: %s", more ? "their number" : "all with --top 0");
        tap_ok(!!strstr(text, "candor diagnose --jfr on 4711  records") == more &&
                   !!*overview_again(&f, &overview, line, sizeof line) == more && strstr(text, "  leak lacks collections of old objects") &&
                   strstr(text, "GC.run"),
               "a rule that is undecided, and %d that another recording decides", more);
        free(text);
        end();
    }
}

/* No report shows flags of the JVM. */
static void test_print_without_report(void)
{
    struct jvm_info jvm = {(char *)"-Xint", (char *)"", 25, 0, true};
    begin();
    e.jvm = &jvm;
    judge();
    char *text = printed(findings_print_text, 0), *json = printed(findings_print_json, 0);
    tap_ok(first(FINDING_FLAG_SLOW) && f.count == 1 && strstr(text, "\n      do       remove the flag") && !strstr(text, "look at"),
           "without a report there is nothing to look at");
    tap_ok(strstr(json, "\"report\": \"\"") && strstr(json, "\"table\": \"\""), "and as JSON");
    free(text);
    free(json);
    end();
}

/* Returns whether both are found or neither. */
static void test_reports(void)
{
    for (int kind = 0; kind < FINDING_KINDS; kind++)
        tap_ok(!*finding_infos[kind].report == !*finding_infos[kind].table, "%s: the table of a report", finding_infos[kind].id);
}

static void test_print_border(void)
{
    begin();
    add_waits("demo.Log", LOG, 9900 * NS_PER_MS, false);
    judge();
    char *text = printed(findings_print_text, 0);
    tap_ok(strstr(text, "info     74  Threads queue") != NULL, "a score next to its limit: %.40s", strchr(text, '\n') + 2);
    free(text);
    end();
}

static void test_score(void)
{
    tap_ok(score_saturate(0, 1) == 0 && score_saturate(-1, 1) == 0, "of nothing, nothing");
    tap_ok(score_saturate(1, 1) > 74.999 && score_saturate(1, 1) < 75.001 && score_saturate(1e9, 1) <= 100, "a warning at its limit");
    struct amount none = amount_count(0), many = amount_count(10000);
    tap_ok(amount_whole(1e300) == amount_whole(1e301) && !amount_whole(-1) && amount_whole(1.5) == 1, "what a file may say");
    tap_ok(none.low == 0 && none.high < 1 && many.low < 9805 && many.low > 9800 && many.high > 10195 && many.high < 10200, "counts");
}

/* docs/findings.md has a row for each finding, and no other rows. */
static void test_doc(void)
{
    struct doc_table table;
    char row[64];
    doc_table_open(&table, FINDINGS_DOC, "");
    for (int kind = 0; kind < FINDING_KINDS; kind++) {
        snprintf(row, sizeof row, "\n| `%s` |", finding_infos[kind].id);
        doc_table_has(&table, row, finding_infos[kind].id);
    }
    doc_table_has_only(&table, FINDING_KINDS);
    doc_table_close(&table);
}

/* ---- consequences ---- */

/* One line that boxes: it makes the collector work, and keeps the processors busy. */
static void add_boxing(const char *line_of_rest)
{
    begin();
    for (int i = 0; i < 100; i++) {
        maker_sample_of(&alloc, "main", "demo.Main.run:1;demo.Sum.add:7;java.lang.Long.valueOf:1", 60 * 1000 * 1000);
        maker_sample_of(&alloc, "main", line_of_rest, 90 * 1000 * 1000);
    }
    add_halts(HALT_GC, "Copy, Allocation Failure", 40 * NS_PER_MS, 100);
}

/* A list that grows is 60 % of the CPU time, and all that is allocated. */
static void add_growth(void)
{
    begin();
    for (int i = 0; i < 100; i++) {
        maker_sample(&cpu, i < 60 ? "demo.Main.run:1;demo.Sum.add:7;java.util.ArrayList.grow:2" : "demo.Main.run:1", 50 * NS_PER_MS);
        maker_sample_of(&alloc, "main", "demo.Main.run:1;demo.Sum.add:7;java.util.Arrays.copyOf:1", 200 * 1000 * 1000);
    }
}

static void test_consequences(void)
{
    add_boxing("demo.Main.run:1;demo.Sum.add:7;java.util.HashMap.put:1");
    judge();
    tap_ok(f.count == 3 && first(FINDING_BOXING) && f.list[1].kind == FINDING_GC_PRESSURE && f.list[1].has_cause &&
               f.list[1].cause == FINDING_BOXING && f.list[1].score > f.list[0].score,
           "a line that boxes comes before the collections that it causes, although these cost more");
    tap_ok(f.count == 3 && f.list[2].kind == FINDING_ALLOCATION_SITE && f.list[2].has_cause && !f.list[0].has_cause,
           "and before its bytes");
    end();
    add_boxing("demo.Main.run:1;demo.Other.add:9;java.util.HashMap.put:1");
    judge();
    tap_ok(f.count == 3 && first(FINDING_GC_PRESSURE) && !f.list[0].has_cause && f.list[2].kind == FINDING_BOXING,
           "if another line allocates most, the collections are no consequence of it");
    end();
    add_growth();
    judge();
    tap_ok(f.count == 2 && first(FINDING_GROWTH) && f.list[1].kind == FINDING_ALLOCATION_SITE && f.list[1].has_cause &&
               f.list[1].score > f.list[0].score,
           "a line whose collections grow comes before the bytes that it allocates, although these cost more");
    end();
    add_growth();
    add_halts(HALT_GC, "Copy, Allocation Failure", 40 * NS_PER_MS, 100);
    judge();
    tap_ok(f.count == 3 && first(FINDING_GROWTH) && f.list[1].has_cause && f.list[2].has_cause,
           "and before the collections that they cause");
    end();
    begin();
    for (int i = 0; i < 100; i++) {
        maker_sample(&cpu, "demo.Main.run:1;demo.Sum.add:8;java.util.concurrent.CopyOnWriteArrayList.add:2", 50 * NS_PER_MS);
        maker_sample_of(&alloc, "main", "demo.Main.run:1;demo.Sum.add:9;java.util.Arrays.copyOf:1", 200 * 1000 * 1000);
    }
    judge();
    tap_ok(f.count == 2 && first(FINDING_COPIES) && f.list[1].kind == FINDING_ALLOCATION_SITE && f.list[1].has_cause,
           "copies of a collection come before the bytes of another line of that method");
    end();
}

int main(void)
{
    test_score();
    test_contended();
    test_owners();
    test_preempted();
    test_busy_io();
    test_pinned_owners();
    test_unmounted_owners();
    test_writers();
    test_deadlock();
    test_pool();
    test_pool_by_place();
    test_nested_pool();
    test_timed_pool();
    test_pool_of_forks();
    test_queues();
    test_turns();
    test_lenders();
    test_own_pools();
    test_consequences();
    test_storm();
    test_late();
    test_system_gc();
    test_sockets();
    test_requests();
    test_writes();
    test_forces();
    test_pinned();
    test_exceptions();
    test_cpu();
    test_carriers();
    test_gc();
    test_allocations();
    test_leak();
    test_threads();
    test_clients();
    test_blocked();
    test_quality();
    test_windows();
    test_windows_by_chance();
    test_order();
    test_gaps();
    test_print();
    test_print_undecided();
    test_print_without_report();
    test_reports();
    test_print_border();
    test_doc();
    return tap_done();
}
