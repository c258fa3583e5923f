/* The hook around park, in this program's own tables: it is installed, waits work as before, and it is removed again.
 * tier: quick
 * timeout: 30
 * sanitize: no */
#include "../tap.h"

#include "agent/trigger/hooks/parks.h"

#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

int main(void);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static bool waits, is_over;

typedef int wait_function(pthread_cond_t *, pthread_mutex_t *);

/* The present value in the program's table. Not inlined: compilers for AArch64 read a word of the table only once in a function. */
static __attribute__((noinline)) wait_function *wait_now(void)
{
    wait_function *volatile now = pthread_cond_wait;
    return now;
}

static int wait_in_vain(void)
{
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    pthread_mutex_lock(&mutex);
    int rc = pthread_cond_timedwait(&condition, &mutex, &deadline);
    pthread_mutex_unlock(&mutex);
    return rc;
}

static void *wait_until_over(void *unused)
{
    pthread_mutex_lock(&mutex);
    waits = true;
    while (!is_over)
        pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

/* Once this function holds the mutex after the thread has set `waits`, the thread is waiting. */
static void await_waiter(void)
{
    for (bool seen = false; !seen; usleep(1000)) {
        pthread_mutex_lock(&mutex);
        seen = waits;
        pthread_mutex_unlock(&mutex);
    }
}

static void end_waiter(pthread_t thread)
{
    pthread_mutex_lock(&mutex);
    is_over = true;
    pthread_cond_broadcast(&condition);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
}

/* ---- the pages of the tables ---- */

/* The kernel's list of this program's mappings. */
static void read_mappings(char *text, size_t size)
{
    char program[256] = "", *line = NULL;
    size_t room = 0, used = 0;
    FILE *f = fopen("/proc/self/maps", "re");
    if (readlink("/proc/self/exe", program, sizeof program - 1) < 0)
        program[0] = 0;
    while (f && getline(&line, &room, f) > 0)
        if (program[0] && strstr(line, program) && used + strlen(line) < size)
            used += (size_t)snprintf(text + used, size - used, "%s", line);
    free(line);
    if (f)
        fclose(f);
}

static int make_writable(struct dl_phdr_info *info, size_t size, void *done)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t from = (info->dlpi_addr + segment->p_vaddr) & -page, end = info->dlpi_addr + segment->p_vaddr + segment->p_memsz;
        if (segment->p_type == PT_GNU_RELRO)
            *(bool *)done = !mprotect((void *)from, (end & -page) - from, PROT_READ | PROT_WRITE);
    }
    return 1; /* the first entry is this program */
}

static void test_pages(const char *what)
{
    static char before[4096], during[4096], after[4096];
    struct error e = {""};
    read_mappings(before, sizeof before);
    parks_open((uintptr_t)main, &e);
    read_mappings(during, sizeof during);
    parks_close();
    read_mappings(after, sizeof after);
    tap_ok(before[0] && !strcmp(during, before) && !strcmp(after, before), "pages %s stay so:\n%s%s%s", what, before, during, after);
}

/* Another hook may have made the pages writable for good. If they were read-only afterwards, its next write would fault. */
static void test_all_pages(void)
{
    bool done = false;
    test_pages("as the loader left them");
    dl_iterate_phdr(make_writable, &done);
    tap_ok(done, "the program's tables can be made writable");
    test_pages("that another made writable");
}

int main(void)
{
    struct error e = {""};
    pthread_t thread;
    wait_function *before = wait_now();
    int rc = parks_open((uintptr_t)main, &e);
    if (!tap_ok(!rc, "open: %s", e.text))
        return tap_done();
    tap_ok(wait_now() != before, "the table names our function");
    errno = 17;
    rc = wait_in_vain();
    tap_ok(rc == ETIMEDOUT && errno == 17, "a wait with a deadline ends with it, and errno stays");
    pthread_create(&thread, NULL, wait_until_over, NULL);
    await_waiter();
    parks_close();
    tap_ok(wait_now() == before, "closed, the table names what it did");
    end_waiter(thread);
    tap_ok(is_over, "a thread that waited meanwhile returns");
    tap_ok(!parks_open((uintptr_t)main, &e) && wait_now() != before, "open again");
    parks_close();
    parks_close();
    tap_ok(wait_now() == before, "closed twice is closed");
    test_all_pages();
    tap_ok(parks_open(1, &e) == -ENOTSUP && strstr(e.text, "tables"), "no library, no tables: %s", e.text);
    return tap_done();
}
