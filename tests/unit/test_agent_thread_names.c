/* The names of threads that are gone: they are kept while an event of a chunk can name them, and forgotten afterwards, so a recording does
 * not grow with the threads that it has seen.
 * tier: default
 * timeout: 120
 * sanitize: no
 *
 * (Sanitized programs have an allocator of their own, which does not count bytes in use.)
 *
 * Bound of test_churn. Without forgetting, each round of threads costs a hundred bytes a thread at least: its entry, and its name. A table
 * that becomes twice as large adds as much in a single round, whenever it happens to be full. So the round that adds the least is judged,
 * and it may add a tenth. */
#include "../tap.h"
#include "session.h"

#include "agent/record/names/thread_names.h"
#include "agent/trigger/threads.h"
#include "base/time_units.h"

#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- the table ---- */

static struct thread_names table;

static void put(uint32_t uid, const char *text)
{
    const struct thread_name t = {.uid = uid, .has_java_name = true, .os_id = uid + 1000, .java_id = uid + 2000};
    thread_names_put(&table, &t, text);
}

static bool is(uint32_t uid, const char *text)
{
    const struct thread_name *t = thread_names_find(&table, uid);
    return t ? text && !strcmp(t->text, text) && t->os_id == uid + 1000 && t->java_id == uid + 2000 : !text;
}

static void test_table(void)
{
    thread_names_init(&table);
    put(1, "main");
    put(2, "gone");
    put(2, "renamed");
    put(3, "held");
    thread_names_find(&table, 3)->holds++;
    tap_ok(is(1, "main") && is(2, "renamed") && is(3, "held") && is(4, NULL), "threads have their last names");
    thread_names_new_chunk(&table);
    put(1, "main");
    tap_ok(is(1, "main") && is(2, "renamed"), "a thread is known in the chunk after its last event");
    thread_names_new_chunk(&table);
    tap_ok(is(1, "main") && is(2, NULL) && is(3, "held"), "then it is forgotten, unless it is held");
    thread_names_find(&table, 3)->holds--;
    thread_names_new_chunk(&table);
    tap_ok(!table.count, "nothing is left of threads that have no events");
    thread_names_deinit(&table);
}

static void test_many(void)
{
    enum { CHUNKS = 200, NEW = 5000 };
    uint32_t most = 0, uid = 1;
    bool known = true;
    char text[32] = "";
    thread_names_init(&table);
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
        put(1, "main");
        for (int i = 0; i < NEW; i++) {
            snprintf(text, sizeof text, "pool-%u", ++uid);
            put(uid, text);
        }
        known &= is(1, "main") && is(uid, text);
        most = table.count > most ? table.count : most;
        thread_names_new_chunk(&table);
    }
    tap_ok(known && most <= 2 * NEW + 1, "of %u threads at most %u are known at a time", uid, most);
    tap_ok(table.cap <= 4 * NEW && table.by_uid.cap <= 8 * NEW, "and memory is for %u of them", table.cap);
    thread_names_deinit(&table);
}

/* ---- recordings ---- */

enum { SINKS = 3, ROUNDS = 4, OF_A_ROUND = 4000, BATCH = 50, BYTES_OF_A_THREAD = 100 };

static void *live_briefly(void *number)
{
    char name[THREAD_NAME_MAX];
    snprintf(name, sizeof name, "worker-of-the-churning-pool-%ld", (long)number);
    threads_java_begin(0, (long)number, name);
    threads_java_end();
    return NULL;
}

/* Starts and ends the threads of a round, and then two chunks, so that the threads are forgotten. Returns the bytes in use. */
static double churn(long from)
{
    const struct timespec pause = {.tv_nsec = 100 * NS_PER_MS};
    pthread_t all[BATCH];
    for (long i = 0; i < OF_A_ROUND; i += BATCH) {
        for (long n = 0; n < BATCH; n++)
            pthread_create(&all[n], NULL, live_briefly, (void *)(from + i + n));
        for (long n = 0; n < BATCH; n++)
            pthread_join(all[n], NULL);
        collect_tick();
    }
    for (int i = 0; i < 25; i++) {
        nanosleep(&pause, NULL);
        collect_tick();
    }
    return (double)mallinfo2().uordblks;
}

static bool start(int i, char *file, size_t size)
{
    struct collect_options o = {.events = COLLECT_CPU, .interval_ns = 10 * NS_PER_MS, .keep = {.ns = 10 * (uint64_t)NS_PER_S}};
    snprintf(file, size, "/tmp/candor-test-names-%d-%d.jfr", getpid(), i);
    snprintf(o.file, sizeof o.file, "%s", file);
    return session_start_with(&o);
}

static void test_churn(void)
{
    char files[SINKS][64];
    uint32_t ids[SINKS];
    bool good = true;
    for (int i = 0; i < SINKS; i++) {
        good &= start(i, files[i], sizeof files[i]);
        ids[i] = collect_newest();
    }
    double before = churn(1), least = INFINITY;
    for (int i = 1; i <= ROUNDS; i++) {
        double after = churn(1 + (long)i * OF_A_ROUND);
        least = after - before < least ? after - before : least;
        before = after;
    }
    tap_ok(good && least < (double)OF_A_ROUND * BYTES_OF_A_THREAD / 10,
           "%d rounds of %d threads in %d recordings with several chunks: the least adds %.0f bytes", ROUNDS, OF_A_ROUND, SINKS, least);
    for (int i = 0; i < SINKS; i++) {
        uint64_t bytes, samples;
        collect_stop(ids[i], &bytes, &samples, &session_error);
        unlink(files[i]);
    }
}

int main(void)
{
    test_table();
    test_many();
    test_churn();
    return tap_done();
}
