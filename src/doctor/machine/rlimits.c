#include "doctor/machine/rlimits.h"

#include "attach/process.h"
#include "base/procfs.h"
#include "base/text/number.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FEW = 1024 };

static const char *take(const char *text, uint64_t *value)
{
    text += strspn(text, " ");
    if (!strncmp(text, "unlimited", 9)) {
        *value = RLIMITS_UNLIMITED;
        return text + 9;
    }
    return number_take(&text, 10, 0, UINT64_MAX, value) ? NULL : text;
}

static int find(const char *text, const char *name, uint64_t *soft, uint64_t *hard)
{
    const char *line = strstr(text, name);
    const char *rest = line ? take(line + strlen(name), soft) : NULL;
    return rest && take(rest, hard) ? 0 : -EINVAL;
}

int rlimits_parse(const char *text, struct rlimits *l)
{
    uint64_t hard;
    int code = find(text, "Max open files", &l->files, &l->files_hard);
    code = code ? code : find(text, "Max pending signals", &l->signals, &hard);
    return code ? code : find(text, "Max locked memory", &l->locked_bytes, &hard);
}

static const char *amount(uint64_t value, char *out, size_t size)
{
    if (value == RLIMITS_UNLIMITED)
        snprintf(out, size, "unlimited");
    else
        snprintf(out, size, "%" PRIu64, value);
    return out;
}

/* Adds the row for open files. The agent leaves the last quarter of the limit to the application (agent/trigger/clocks/clock.c). */
static void judge_files(struct checkup *f, const struct rlimits *l, int threads, int open_files)
{
    char soft[24], hard[24];
    bool few = threads < 0 ? l->files_hard < FEW : l->files - l->files / 4 < (uint64_t)threads + (uint64_t)open_files;
    enum check_level level = few ? CHECK_WARNING : CHECK_OK;
    amount(l->files, soft, sizeof soft);
    amount(l->files_hard, hard, sizeof hard);
    if (threads < 0)
        checkup_add(f, level, "open files", "%s, and %s for a JVM, because a JVM raises its own limit", soft, hard);
    else
        checkup_add(f, level, "open files", "%d of %s open, %d threads", open_files, soft, threads);
    if (few) {
        checkup_meaning(f, "a recording opens one descriptor per thread, up to three quarters of the limit; further threads are sampled at "
                           "the scheduler's ticks");
        checkup_remedy(f, "raise RLIMIT_NOFILE (ulimit -Hn, LimitNOFILE= of systemd, --ulimit nofile of docker)");
    }
}

static void judge_signals(struct checkup *f, const struct rlimits *l, int threads, long queued)
{
    char limit[24];
    uint64_t needed = threads < 0 ? FEW : (uint64_t)threads, used = queued < 0 ? 0 : (uint64_t)queued;
    bool few = l->signals < needed || l->signals - needed < used;
    checkup_add(f, few ? CHECK_NOTE : CHECK_OK, "pending signals", "%ld of %s used by this user", queued,
                amount(l->signals, limit, sizeof limit));
    if (few) {
        checkup_meaning(f, "the clock 'timer' needs one per thread; the clocks of perf events need none");
        checkup_remedy(f, "raise RLIMIT_SIGPENDING (ulimit -i) if that clock is used");
    }
}

void rlimits_judge(struct checkup *f, const struct rlimits *l, int threads, int open_files, long queued_signals)
{
    char locked[24];
    judge_files(f, l, threads, open_files);
    judge_signals(f, l, threads, queued_signals);
    checkup_add(f, CHECK_OK, "locked memory", "%s bytes", amount(l->locked_bytes, locked, sizeof locked));
    checkup_meaning(f, "kernel stacks need two pages per sampled thread; the kernel grants some memory in addition to this limit");
}

static int count_open_files(pid_t pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd", pid);
    DIR *directory = opendir(path);
    int n = -2; /* "." and ".." do not count */
    if (!directory)
        return -1;
    while (readdir(directory))
        n++;
    closedir(directory);
    return n;
}

void rlimits_check(struct checkup *f, pid_t pid, const struct identity *who)
{
    char text[4096];
    struct rlimits l;
    int files = pid ? count_open_files(pid) : 0;
    if (process_read_file(pid ? pid : getpid(), "limits", text, sizeof text) < 0 || rlimits_parse(text, &l) || files < 0) {
        checkup_add(f, CHECK_NOTE, "limits", "unknown");
        checkup_meaning(f, "/proc does not show them to this user");
        checkup_remedy(f, "run candor as the JVM's user or as root");
        return;
    }
    rlimits_judge(f, &l, pid ? who->threads : -1, files, who->queued_signals);
}
