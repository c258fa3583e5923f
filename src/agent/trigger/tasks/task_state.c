#include "agent/trigger/tasks/task_state.h"

#include "agent/trigger/tasks/tasks.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { PATH_BYTES = 64, STAT_BYTES = 512 };

static int open_files;

static const char *path_of(int tid, char path[PATH_BYTES])
{
    snprintf(path, PATH_BYTES, "/proc/self/task/%d/stat", tid);
    return path;
}

/* Returns the state, which follows the name. The name may contain any characters. */
static char parse(const char *stat)
{
    const char *name_end = strrchr(stat, ')');
    return name_end && name_end[1] == ' ' ? name_end[2] : 0;
}

static bool may_keep(int file)
{
    struct rlimit limit;
    return open_files < TASK_STATE_FILES && !getrlimit(RLIMIT_NOFILE, &limit) && (rlim_t)file < limit.rlim_cur / 2;
}

void task_state_open(struct task_state *s, int tid)
{
    char path[PATH_BYTES];
    *s = (struct task_state){.tid = tid, .file = open_files < TASK_STATE_FILES ? open(path_of(tid, path), O_RDONLY | O_CLOEXEC) : -1};
    if (s->file >= 0 && !may_keep(s->file)) {
        close(s->file);
        s->file = -1;
    }
    open_files += s->file >= 0;
}

void task_state_close(struct task_state *s)
{
    if (s->file < 0)
        return;
    close(s->file);
    s->file = -1;
    open_files--;
}

char task_state_read(const struct task_state *s)
{
    char stat[STAT_BYTES];
    if (s->file < 0)
        return task_state_once(s->tid);
    ssize_t n = pread(s->file, stat, sizeof stat - 1, 0);
    stat[n > 0 ? n : 0] = 0;
    return parse(stat);
}

char task_state_once(int tid)
{
    char path[PATH_BYTES], stat[STAT_BYTES];
    return tasks_read_proc(path_of(tid, path), stat, sizeof stat) > 0 ? parse(stat) : 0;
}
