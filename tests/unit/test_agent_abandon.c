/* A recording whose collector faults, without a JVM. It must end as it was at its last flush, and say why and what it has not seen.
 * After a fault in other code, which may have left locks taken, it must say nothing more.
 * tier: quick
 * timeout: 60
 * sanitize: no */
#include "../tap.h"
#include "session.h"

#include "agent/hot/thread/turn.h"
#include "agent/trigger/threads.h"
#include "base/time_units.h"
#include "profile/load/load_jfr.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { AFTER_FLUSH = 30 * NS_PER_MS };

static char file[64], copy[64];
static volatile char *closed;

static void touch(void *unused)
{
    *closed = 1;
}

static void touch_elsewhere(void *unused)
{
    size_t (*volatile length)(const char *) = strlen; /* a call that no compiler replaces by code of its own */
    length((const char *)closed);
}

static void *burn_sampled(void *unused)
{
    threads_java_begin(0, 0, "busy");
    burn(50 * NS_PER_MS);
    threads_java_end();
    return NULL;
}

/* A recording is flushed and copied, continues, and its collector faults. */
static bool record_and_fault(void (*fault)(void *))
{
    struct error e;
    uint64_t bytes;
    pthread_t thread;
    struct turn *own = turn_of_own_thread();
    if (!session_start(file, CLOCK_AUTO, NS_PER_MS))
        return false;
    pthread_create(&thread, NULL, burn_sampled, NULL);
    pthread_join(thread, NULL);
    if (collect_dump(0, copy, -1, 0, &bytes, &e))
        return false;
    burn(AFTER_FLUSH);
    if (turn_take(own, fault, NULL))
        return false;
    collect_abandon(own);
    return true;
}

static bool load(struct profile *p, const char *name)
{
    struct error e;
    profile_init(p);
    return !profile_load_jfr(p, name, &e);
}

static int64_t book(const struct profile *p, const char *account, const char *reason)
{
    const struct profile_book *line = profile_book(p, account, reason);
    return line ? line->ns : 0;
}

static void test_elsewhere(void)
{
    struct profile now, then;
    int status = -1;
    pid_t child = fork();
    if (!child)
        _exit(!record_and_fault(touch_elsewhere) || collect_running() || !turn_first_fault().elsewhere);
    waitpid(child, &status, 0);
    tap_ok(!status, "a collector that faults in code that it called ends its recording");
    if (!tap_ok(load(&now, file) && load(&then, copy), "which can be read"))
        return;
    tap_ok(!now.problem_count && !profile_book(&now, "unseen", "internal_fault"), "and says nothing of it");
    tap_ok(now.sample_count && now.sample_count == then.sample_count && book(&now, "cpu", "") == book(&then, "cpu", ""),
           "it is as it was at its last flush, with %u samples", now.sample_count);
    profile_deinit(&then);
    profile_deinit(&now);
}

static void test_own(void)
{
    struct profile now, then;
    struct collect_status status;
    bool abandoned = record_and_fault(touch);
    collect_status(0, &status);
    tap_ok(abandoned && !collect_running() && !threads_running(), "a collector that faults ends its recording and its clocks");
    tap_ok(strstr(status.fault, "SIGSEGV at ") && !*status.file, "the status has the fault: %s", status.fault);
    if (!tap_ok(load(&now, file) && load(&then, copy), "the recording can be read"))
        return;
    const struct profile_problem *p = now.problems;
    tap_ok(now.problem_count == 1 && !strcmp(profile_text(&now, p->level), "error") && !strcmp(profile_text(&now, p->text), status.fault),
           "and says the same");
    int64_t unseen = book(&now, "unseen", "internal_fault"), since = book(&now, "cpu", "") - book(&then, "cpu", "");
    tap_ok(unseen >= AFTER_FLUSH && unseen == since, "%lld ns have not been seen: all that was used since the last flush",
           (long long)unseen);
    tap_ok(now.sample_count && now.sample_count == then.sample_count, "all %u samples of before are there", now.sample_count);
    profile_deinit(&then);
    profile_deinit(&now);
    struct collect_options again = {.events = COLLECT_CPU, .interval_ns = NS_PER_MS};
    snprintf(again.file, sizeof again.file, "%s", copy);
    struct error e;
    tap_ok(collect_start(&again, false, NULL, &e) == -EFAULT && strstr(e.text, status.fault),
           "there is no other recording in this process");
}

int main(void)
{
    snprintf(file, sizeof file, "/tmp/candor-test-abandon-%d.jfr", getpid());
    snprintf(copy, sizeof copy, "/tmp/candor-test-abandon-copy-%d.jfr", getpid());
    closed = mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    test_elsewhere();
    test_own();
    unlink(file);
    unlink(copy);
    return tap_done();
}
