/* The JDK's recorder joins a diagnosis if the first seconds call for it: each reason, and the same a little below its limit.
 * tier: quick
 * timeout: 30 */
#include "../tap.h"
#include "profile_maker.h"

#include "cli/analyze/recorder_need.h"
#include "base/time_units.h"
#include "events/halt_parts.h"

#include <string.h>

#define SECONDS 5
#define LOOK_NS (50 * NS_PER_MS)

#define READS      "demo.Main.run:1;java.net.Socket$SocketInputStream.read:2;sun.nio.ch.NioSocketImpl.read:3;sun.nio.ch.Net.poll"
#define SOCKET     "threads wait for sockets or files"
#define STARTED_NS (int64_t)(100 * NS_PER_S) /* the recording's start; the JVM's is 0 */

static struct profile cpu, wall;
static struct halts halts;
static struct evidence e;

static void begin(void)
{
    maker_init(&cpu);
    maker_init(&wall);
    halts = (struct halts){0};
    strtab_init(&halts.strings);
    e = (struct evidence){
        .cpu = &cpu, .wall = &wall, .halts = &halts, .duration_ns = SECONDS * NS_PER_S, .start_ns = STARTED_NS, .jvm_start_ns = 1};
    maker_sample(&cpu, "demo.Main.run:1", NS_PER_S);
}

static void add_looks(const char *stack, enum jfr_thread_state state, int count)
{
    for (int i = 0; i < count; i++) {
        maker_sample(&wall, stack, LOOK_NS);
        wall.samples[wall.sample_count - 1].state = (uint8_t)state;
    }
}

static void add_halt(enum halt_kind kind, const char *what, uint64_t ns)
{
    halts_add(&halts, &(struct halt){.kind = (uint8_t)kind, .ns = ns, .count = 1, .what = strtab_add_text(&halts.strings, what)});
}

static void end(const char *expected, const char *what)
{
    const char *words = recorder_need(&e);
    tap_ok(expected ? words && !strcmp(words, expected) : !words, "%s: %s", what, words ? words : "not needed");
    profile_deinit(&cpu);
    profile_deinit(&wall);
    halts_deinit(&halts);
}

static void test_waits(void)
{
    begin();
    add_looks(READS, JFR_STATE_IO, 11);
    end(SOCKET, "a thread reads from a socket for more than a tenth of the time");
    begin();
    add_looks(READS, JFR_STATE_IO, 10);
    add_looks(READS, JFR_STATE_READY, 50);
    add_looks("demo.Main.run:1;sun.nio.ch.EPollSelectorImpl.select:2;sun.nio.ch.EPoll.wait", JFR_STATE_IO, 100);
    add_looks("demo.Main.run:1;java.net.ServerSocket.accept:2;sun.nio.ch.NioSocketImpl.accept:3;sun.nio.ch.Net.accept", JFR_STATE_IO, 100);
    add_looks("java.net.Handler.read:1;demo.Main.call:2;java.lang.Object.wait", JFR_STATE_WAITING, 100);
    end(NULL, "it does so for less, lacks a processor, selects, accepts, or waits for something else within a read");
    begin();
    add_looks("java.lang.ProcessBuilder.start:1;java.lang.ProcessImpl.forkAndExec", JFR_STATE_JAVA, 1);
    end("the program starts processes", "a process is started");
}

static void test_pinned(void)
{
    static const char *const stacks[] = {"java.lang.VirtualThread.run:1;demo.Main.run:1;java.lang.VirtualThread.parkOnCarrierThread:2;"
                                         "jdk.internal.misc.Unsafe.park",
                                         "java.lang.VirtualThread.run:1;demo.Main.run:1;java.lang.Object.wait0",
                                         "java.lang.VirtualThread.run:1;demo.Main.run:1;java.lang.VirtualThread.park:2"};
    for (int i = 0; i < 6; i++) {
        begin();
        add_looks(stacks[i / 2], JFR_STATE_PARKED, 3);
        wall.threads[0].virtual_threads = i % 2;
        end(i == 1 || i == 3 ? "virtual threads wait without releasing their carrier threads" : NULL, i % 2 ? "virtual" : "not virtual");
    }
}

static void test_halts(void)
{
    begin();
    add_halt(HALT_SAFEPOINTS_COUNTED, "", 126 * NS_PER_MS);
    add_halt(HALT_GC, "G1New", 100 * NS_PER_MS);
    end("the JVM stops all threads, and not to collect garbage", "26 ms in safepoints beyond the pauses");
    begin();
    add_halt(HALT_SAFEPOINTS_COUNTED, "", 124 * NS_PER_MS);
    add_halt(HALT_GC, "G1New", 100 * NS_PER_MS);
    end(NULL, "24 ms");
    begin();
    add_halt(HALT_SAFEPOINTS_COUNTED, "", NS_PER_MS);
    halts.list[0].sync_ns = 26 * NS_PER_MS;
    end("the JVM stops all threads, and not to collect garbage", "26 ms in which threads wait for a late one");
    begin();
    add_halt(HALT_GC, "G1New", 251 * NS_PER_MS);
    end("the garbage collector has much to do", "pauses of a twentieth of the time");
    begin();
    add_halt(HALT_GC, "ZGC Minor", NS_PER_MS);
    end("the garbage collector has much to do", "a collector that lets threads wait for memory");
}

static void test_cpu(void)
{
    static const char jit[] = "Pseudo|JVM.[JIT];Native|libjvm.compile", load[] = "demo.Main.run:1;java.lang.ClassLoader.loadClass:2";
    for (int is_error = 0; is_error < 2; is_error++) {
        begin();
        for (int i = 0; i < 2; i++)
            maker_sample(&cpu,
                         is_error ? "demo.Main.run:1;demo.OddError.<init>:2;java.lang.Throwable.<init>;java.lang.Throwable.fillInStackTrace"
                                  : "demo.Main.run:1;demo.Odd.<init>:2;java.lang.Throwable.<init>;java.lang.Throwable.fillInStackTrace",
                         NS_PER_MS);
        end(is_error ? "Errors are thrown" : NULL, is_error ? "two samples in stack traces of Errors" : "the same of other exceptions");
    }
    for (int young = 0; young < 2; young++) {
        begin();
        e.start_ns = young ? (int64_t)NS_PER_S : STARTED_NS;
        maker_sample(&cpu, jit, 120 * NS_PER_MS);
        end(young ? NULL : "the JVM compiles much code", young ? "in the JVM's first minute" : "a tenth of the CPU time in the compilers");
        begin();
        e.start_ns = young ? (int64_t)NS_PER_S : STARTED_NS;
        maker_sample(&cpu, load, 30 * NS_PER_MS);
        end(young ? NULL : "classes are loaded", young ? "in the JVM's first minute" : "a fortieth in the loading of classes");
    }
}

int main(void)
{
    begin();
    end(NULL, "a program that only computes");
    e = (struct evidence){.duration_ns = NS_PER_S};
    tap_ok(!recorder_need(&e), "a recording without samples");
    test_waits();
    test_pinned();
    test_halts();
    test_cpu();
    return tap_done();
}
