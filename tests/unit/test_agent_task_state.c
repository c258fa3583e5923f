/* The state of a thread, read repeatedly.
 * tier: quick
 * timeout: 30 */
#include "../tap.h"

#include "agent/trigger/tasks/task_state.h"

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { TRIES = 10000, PAUSE_US = 1000 };

static int ends[2];
static _Atomic int sleeper_id;

static void *sleep_in_kernel(void *unused)
{
    char byte;
    sleeper_id = (int)syscall(SYS_gettid);
    if (read(ends[0], &byte, 1) != 1)
        abort();
    return NULL;
}

static int count_files(void)
{
    int n = 0;
    DIR *d = opendir("/proc/self/fd");
    while (d && readdir(d))
        n++;
    closedir(d);
    return n;
}

static bool comes_to(const struct task_state *s, char state)
{
    for (int i = 0; i < TRIES; i++) {
        if (task_state_read(s) == state)
            return true;
        usleep(PAUSE_US);
    }
    return false;
}

static void test_life(void)
{
    pthread_t thread;
    struct task_state s, own;
    int before = count_files();
    if (pipe(ends) || pthread_create(&thread, NULL, sleep_in_kernel, NULL))
        abort();
    while (!sleeper_id)
        usleep(PAUSE_US);
    task_state_open(&s, sleeper_id);
    task_state_open(&own, (int)syscall(SYS_gettid));
    tap_ok(s.file >= 0 && own.file >= 0 && count_files() == before + 4, "a file each, beside the pipe's two");
    tap_ok(comes_to(&s, 'S') && task_state_once(sleeper_id) == 'S', "a thread that reads a pipe sleeps");
    tap_ok(task_state_read(&own) == 'R' && task_state_read(&own) == 'R', "who asks runs, each time");
    if (write(ends[1], "", 1) != 1)
        abort();
    pthread_join(thread, NULL);
    tap_ok(comes_to(&s, 0) && !task_state_once(sleeper_id), "one that has ended has no state");
    task_state_close(&s);
    task_state_close(&s);
    task_state_close(&own);
    close(ends[0]);
    close(ends[1]);
    tap_ok(count_files() == before, "and no file is left, also when closed twice");
}

static void test_limits(void)
{
    static struct task_state all[TASK_STATE_FILES + 10];
    struct rlimit old, low;
    int tid = (int)syscall(SYS_gettid), kept = 0, before = count_files();
    getrlimit(RLIMIT_NOFILE, &old);
    low = old;
    low.rlim_cur = 4 * TASK_STATE_FILES < old.rlim_max ? 4 * TASK_STATE_FILES : old.rlim_max;
    setrlimit(RLIMIT_NOFILE, &low);
    for (int i = 0; i < TASK_STATE_FILES + 10; i++) {
        task_state_open(&all[i], tid);
        kept += all[i].file >= 0;
    }
    tap_ok(kept == TASK_STATE_FILES && count_files() == before + TASK_STATE_FILES, "so many files are open, and no more");
    tap_ok(task_state_read(&all[TASK_STATE_FILES + 9]) == 'R', "a thread without one has a state, too");
    for (int i = 0; i < TASK_STATE_FILES + 10; i++)
        task_state_close(&all[i]);
    low.rlim_cur = 16;
    setrlimit(RLIMIT_NOFILE, &low);
    for (int i = 0; i < 16; i++)
        task_state_open(&all[i], tid);
    tap_ok(count_files() <= 8 + 3 && task_state_read(&all[15]) == 'R', "of a process that may have few files, half stay its own");
    for (int i = 0; i < 16; i++)
        task_state_close(&all[i]);
    setrlimit(RLIMIT_NOFILE, &old);
    tap_ok(count_files() == before, "no file is left");
}

int main(void)
{
    test_life();
    test_limits();
    return tap_done();
}
