#include "agent/trigger/tasks/tasks.h"

#include "base/text/number.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int tasks_read_proc(const char *path, char *out, int size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    ssize_t n = read(fd, out, (size_t)size - 1);
    int rc = n < 0 ? -errno : (int)n;
    close(fd);
    out[n > 0 ? n : 0] = 0;
    return rc;
}

int tasks_each(bool (*fn)(int tid, void *context), void *context)
{
    DIR *dir = opendir("/proc/self/task");
    if (!dir)
        return -errno;
    for (struct dirent *d; (d = readdir(dir));)
        if (d->d_name[0] != '.' && !fn((int)number_or_zero(d->d_name), context))
            break;
    closedir(dir);
    return 0;
}

struct list {
    int *tids, count, cap;
    bool failed;
};

static bool add(int tid, void *context)
{
    struct list *l = context;
    if (l->count == l->cap) {
        int cap = l->cap ? 2 * l->cap : 64;
        int *grown = realloc(l->tids, (size_t)cap * sizeof *grown);
        l->failed = !grown;
        if (!grown)
            return false;
        l->tids = grown;
        l->cap = cap;
    }
    l->tids[l->count++] = tid;
    return true;
}

int tasks_list(int **tids)
{
    struct list l = {0};
    int rc = tasks_each(add, &l);
    if (!rc && l.failed)
        rc = -ENOMEM;
    if (rc) {
        free(l.tids);
        return rc;
    }
    *tids = l.tids;
    return l.count;
}

uint64_t tasks_switches(int tid)
{
    char path[64], text[128];
    unsigned long long ran, waited, switches;
    snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", tid);
    bool known = tasks_read_proc(path, text, sizeof text) > 0 && sscanf(text, "%llu %llu %llu", &ran, &waited, &switches) == 3;
    return known ? switches : 0;
}

bool tasks_mark(struct tasks_mark *m)
{
    char text[128];
    struct stat directory;
    const char *last = tasks_read_proc("/proc/loadavg", text, sizeof text) > 0 ? strrchr(text, ' ') : NULL;
    if (!last || syscall(SYS_newfstatat, AT_FDCWD, "/proc/self/task", &directory, 0))
        return false;
    *m = (struct tasks_mark){.last_id = number_or_zero(last), .count = directory.st_nlink};
    return m->last_id && m->count > 2;
}

static bool mask_has(const char *status, const char *label, int signal)
{
    const char *line = strstr(status, label);
    return line && number_based_or_zero(line + strlen(label), 16) >> (signal - 1) & 1;
}

bool tasks_blocks_signal(int tid, int signal)
{
    char path[64], status[4096];
    snprintf(path, sizeof path, "/proc/self/task/%d/status", tid);
    return tasks_read_proc(path, status, sizeof status) > 0 && mask_has(status, "SigBlk:", signal);
}

struct search {
    int signal;
    bool found;
};

static bool look(int tid, void *context)
{
    struct search *s = context;
    char path[64], status[4096];
    snprintf(path, sizeof path, "/proc/self/task/%d/status", tid);
    int rc = tasks_read_proc(path, status, sizeof status);
    if (rc > 0)
        s->found = mask_has(status, "SigPnd:", s->signal) || mask_has(status, "ShdPnd:", s->signal);
    else
        s->found = rc != -ENOENT && rc != -ESRCH; /* otherwise the thread is gone */
    return !s->found;
}

bool tasks_signal_pending(int signal)
{
    struct search s = {.signal = signal};
    return tasks_each(look, &s) || s.found;
}

bool tasks_are_traced(void)
{
    static const char label[] = "\nTracerPid:";
    char status[4096];
    const char *line = tasks_read_proc("/proc/self/status", status, sizeof status) > 0 ? strstr(status, label) : NULL;
    return line && number_or_zero(line + strlen(label));
}

/* Finds the role by the beginning of the name. The system keeps 15 characters of a name. From JDK 26 on, the JVM removes the middle of a
 * longer name. */
enum thread_role tasks_role(const char *os_name)
{
    static const struct {
        const char *begins;
        enum thread_role role;
    } known[] = {
        {"C1 Comp", ROLE_COMPILER},
        {"C2 Comp", ROLE_COMPILER},
        {"VM Thread", ROLE_VM},
        {"GC Thread#", ROLE_COLLECTOR},
        {"GC task thread#", ROLE_COLLECTOR},
        {"ParGC Thread#", ROLE_COLLECTOR},
        {"Gang worker#", ROLE_COLLECTOR},
        {"G1 ", ROLE_CONCURRENT},
        {"ZDirector", ROLE_CONCURRENT},
        {"ZDriver", ROLE_CONCURRENT},
        {"ZWorker", ROLE_CONCURRENT},
        {"ZUncommitter", ROLE_CONCURRENT},
        {"Shenandoah", ROLE_CONCURRENT},
        {"Concurrent Mark", ROLE_CONCURRENT},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strncmp(os_name, known[i].begins, strlen(known[i].begins)))
            return known[i].role;
    return ROLE_OTHER;
}
