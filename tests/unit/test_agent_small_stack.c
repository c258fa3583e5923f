/* Threads with the smallest possible stack are sampled by every clock, and survive.
 * tier: default
 * timeout: 120
 * sanitize: no */
#include "../tap.h"
#include "session.h"

#include "agent/trigger/threads.h"

#include <limits.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MS = 1000000, THREADS = 3, SAMPLES_LEAST = 20, CPU_MOST_MS = 20000 };

static char file[64];
static _Atomic int running;

static void *work(void *unused)
{
    threads_java_begin(0, 0, "small");
    const struct sampled_thread *t = thread_of_caller();
    for (uint64_t begin = own_cpu(); counter_get(&t->counts.samples) < SAMPLES_LEAST && own_cpu() < begin + (uint64_t)CPU_MOST_MS * MS;)
        burn(MS);
    bool seen = counter_get(&t->counts.samples) >= SAMPLES_LEAST;
    threads_java_end();
    running--;
    return seen ? NULL : (void *)file;
}

/* In a separate process, which a handler would kill if it needed more stack than there is. */
static int record(enum clock_kind kind)
{
    pthread_attr_t smallest;
    pthread_t threads[THREADS];
    struct timespec pause = {.tv_nsec = 10 * MS};
    bool good = session_start(file, kind, MS);
    pthread_attr_init(&smallest);
    pthread_attr_setstacksize(&smallest, (size_t)sysconf(_SC_THREAD_STACK_MIN));
    running = THREADS;
    for (int i = 0; i < THREADS; i++)
        good = !pthread_create(&threads[i], &smallest, work, NULL) && good;
    while (running) {
        nanosleep(&pause, NULL);
        collect_tick();
    }
    for (int i = 0; i < THREADS; i++) {
        void *unseen;
        pthread_join(threads[i], &unseen);
        good = good && !unseen;
    }
    return session_stop() && good ? 0 : 1;
}

int main(void)
{
    snprintf(file, sizeof file, "/tmp/candor-small-%d.jfr", (int)getpid());
    for (enum clock_kind kind = CLOCK_SIGTRAP; kind < CLOCK_KINDS; kind++) {
        struct clock c;
        int status;
        if (clock_choose(&c, kind, MS, &session_error)) {
            tap_skip("%s: %s", clock_names[kind], session_error.text);
            continue;
        }
        fflush(stdout);
        pid_t pid = fork();
        if (!pid)
            _exit(record(kind));
        waitpid(pid, &status, 0);
        tap_ok(!status, "%s: threads with stacks of %ld bytes are sampled and live (status %x)", clock_names[kind],
               sysconf(_SC_THREAD_STACK_MIN), status);
    }
    unlink(file);
    return tap_done();
}
