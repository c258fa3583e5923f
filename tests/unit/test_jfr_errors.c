/* The writer when writes to the file fail: the file is cut back to the last whole flush, and one lasting error names the remedy.
 * tier: quick
 * timeout: 60
 * aarch64: yes */
#include "jfr_sample.h"

#include "../tap.h"
#include "jfr/read/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t cpu_samples(const char *path, uint64_t *problems_out)
{
    struct jfr_problems problems = {0};
    struct jfr_file *file;
    struct jfr_chunk *chunk;
    struct error e;
    uint64_t n = 0;
    if (jfr_file_open(&file, path, &problems, &e))
        return UINT64_MAX;
    for (uint32_t i = 0; i < jfr_file_chunks(file); i++) {
        jfr_chunk_open(&chunk, file, i, &problems, &e);
        n += chunk ? jfr_chunk_type(chunk, "candor.CpuSample")->events : 0;
        jfr_chunk_close(chunk);
    }
    jfr_file_close(file);
    *problems_out = problems.count;
    return n;
}

/* Writes rounds until an error occurs, and then a few more. Returns how many flushes succeeded, -1 if none failed. */
static int write_until_error(struct jfr_writer *w, int *first_code, struct error *first)
{
    struct error later;
    int good = 0, rc = 0;
    while (!rc && good < 1000) {
        sample_round(w, (unsigned)good);
        rc = jfr_writer_flush(w, SAMPLE_START_TICKS + (uint64_t)good, first);
        good += !rc;
    }
    *first_code = rc;
    sample_round(w, 7);
    bool same = jfr_writer_flush(w, 1, &later) == rc && !strcmp(later.text, first->text) && jfr_writer_rotate(w, 1, 1, &later) == rc &&
                jfr_writer_close(w, 1, &later) == rc && !strcmp(later.text, first->text);
    return rc && same ? good : -1;
}

static void check_full(struct jfr_writer *w, const char *path, int code, const char *remedy, const char *what)
{
    struct error e = {""};
    int rc;
    uint64_t problems = 0;
    int flushes = write_until_error(w, &rc, &e);
    tap_ok(flushes > 0 && rc == code, "%s: fails after %d flushes, and every later call with it", what, flushes);
    tap_ok(strstr(e.text, path) && strstr(e.text, remedy), "%s: %s", what, e.text);
    uint64_t samples = cpu_samples(path, &problems);
    tap_ok(samples == (uint64_t)flushes * SAMPLE_CPU_SAMPLES && !problems,
           "%s: the file holds what was flushed and nothing else (%llu samples)", what, (unsigned long long)samples);
}

static void test_file_size_limit(const char *path)
{
    struct error e;
    struct rlimit limit, small = {200000, 200000};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    sigprocmask(SIG_BLOCK, &set, NULL); /* as in the agent's thread */
    getrlimit(RLIMIT_FSIZE, &limit);
    small.rlim_max = limit.rlim_max;
    setrlimit(RLIMIT_FSIZE, &small);
    struct jfr_writer *w = sample_open(path, &e);
    check_full(w, path, -EFBIG, "ulimit -f", "size limit");
    setrlimit(RLIMIT_FSIZE, &limit);
}

/* A rotation that fails leaves the previous chunk whole. */
static void test_limit_at_rotation(const char *path)
{
    struct error e;
    uint64_t problems = 0;
    struct rlimit limit, small;
    getrlimit(RLIMIT_FSIZE, &limit);
    struct jfr_writer *w = sample_open(path, &e);
    sample_round(w, 0);
    jfr_writer_flush(w, SAMPLE_START_TICKS + 1, &e);
    small = (struct rlimit){jfr_writer_size(w) + 100, limit.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    int rc = jfr_writer_rotate(w, SAMPLE_START_TICKS + 2, SAMPLE_START_EPOCH_NS, &e);
    uint64_t size = jfr_writer_size(w);
    jfr_writer_close(w, 1, &e);
    setrlimit(RLIMIT_FSIZE, &limit);
    struct stat st;
    stat(path, &st);
    tap_ok(rc == -EFBIG && (uint64_t)st.st_size == size && cpu_samples(path, &problems) == SAMPLE_CPU_SAMPLES && !problems,
           "size limit at a rotation: the chunk before it stays whole");
}

static bool map_id(const char *file, unsigned id)
{
    FILE *f = fopen(file, "w");
    bool good = f && fprintf(f, "0 %u 1", id) > 0;
    return f && !fclose(f) && good;
}

static bool own_mounts(void)
{
    unsigned uid = geteuid(), gid = getegid();
    if (!unshare(CLONE_NEWNS))
        return true;
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS))
        return false;
    FILE *f = fopen("/proc/self/setgroups", "w");
    return f && fputs("deny", f) >= 0 && !fclose(f) && map_id("/proc/self/uid_map", uid) && map_id("/proc/self/gid_map", gid);
}

static void test_full_tmpfs(void)
{
    char dir[] = "/tmp/candor-test-XXXXXX", path[64];
    if (!mkdtemp(dir) || !own_mounts() || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("candor", dir, "tmpfs", 0, "size=128k")) {
        rmdir(dir);
        tap_skip("full file system: a small tmpfs cannot be mounted here (%s)", strerror(errno));
        return;
    }
    struct error e;
    snprintf(path, sizeof path, "%s/r.jfr", dir);
    struct jfr_writer *w = sample_open(path, &e);
    check_full(w, path, -ENOSPC, "free space", "full file system");
    umount(dir);
    rmdir(dir);
}

/* Another program shortens or deletes the file: every later call reports it, and nothing is written any more. */
static void test_touched(const char *path, bool deleted)
{
    struct error e = {""}, later;
    struct stat st;
    const char *what = deleted ? "deleted" : "truncated";
    struct jfr_writer *w = sample_open(path, &e);
    sample_round(w, 0);
    int before = jfr_writer_flush(w, SAMPLE_START_TICKS + 1, &e);
    int touched = deleted ? unlink(path) : truncate(path, 100);
    sample_round(w, 1);
    int rc = jfr_writer_flush(w, SAMPLE_START_TICKS + 2, &e);
    bool lasts = jfr_writer_gather(w, 1, &later) == rc && jfr_writer_rotate(w, 1, 1, &later) == rc && jfr_writer_close(w, 1, &later) == rc;
    tap_ok(!before && !touched && rc == -ESTALE && lasts, "a file that is %s while it is written: every later call fails", what);
    tap_ok(strstr(e.text, path) && strstr(e.text, what) && !strstr(e.text, "(deleted)"), "%s: %s", what, e.text);
    tap_ok(deleted ? stat(path, &st) != 0 : !stat(path, &st) && st.st_size == 100, "%s: it stays as it is", what);
}

static int new_on(int fd, struct error *e)
{
    struct jfr_writer *w = NULL;
    struct jfr_writer_options options = {.ticks_per_second = 1000};
    struct jfr_pools pools = sample_pools();
    int rc = jfr_writer_new(&w, fd, &options, &pools, e);
    if (!rc)
        jfr_writer_close(w, 1, e);
    return fcntl(fd, F_GETFD) >= 0 ? 1 : rc; /* 1: the file was left open */
}

static void test_refused(const char *path)
{
    struct error e = {""};
    tap_ok(new_on(open("/dev/full", O_WRONLY), &e) == -ENOSPC && strstr(e.text, "free space"), "/dev/full: refused at once, fd closed: %s",
           e.text);
    tap_ok(new_on(open(path, O_WRONLY | O_APPEND), &e) == -EINVAL && strstr(e.text, "appending"), "O_APPEND: %s", e.text);
    tap_ok(new_on(open(path, O_RDONLY), &e) == -EBADF, "read-only: %s", e.text);
    tap_ok(new_on(-1, &e) == -EBADF, "no file: %s", e.text);
    int fds[2];
    if (!pipe(fds))
        close(fds[0]);
    tap_ok(new_on(fds[1], &e) == -ESPIPE, "a pipe: %s", e.text);
}

static void test_memory_cap(const char *path)
{
    struct error e = {""};
    struct jfr_writer *w = NULL;
    struct jfr_pools pools = sample_pools();
    struct jfr_writer_options options = {.ticks_per_second = 1000, .memory_max = 4096};
    uint64_t problems = 0;
    jfr_writer_new(&w, open(path, O_RDWR | O_TRUNC), &options, &pools, &e);
    for (unsigned i = 0; i < 1000; i++)
        jfr_write_cpu_sample(w, &(struct jfr_cpu_sample){.thread = 1, .stack = 1, .weight_ns = 1});
    uint64_t dropped = jfr_writer_dropped(w);
    int rc = jfr_writer_flush(w, 1, &e);
    jfr_write_cpu_sample(w, &(struct jfr_cpu_sample){.thread = 1, .stack = 1, .weight_ns = 1});
    tap_ok(!rc && dropped > 500 && dropped < 1000 && jfr_writer_dropped(w) == dropped,
           "beyond memory_max events are dropped and counted (%llu), after a flush there is room again", (unsigned long long)dropped);
    jfr_writer_close(w, 2, &e);
    tap_ok(cpu_samples(path, &problems) == 1001 - dropped && !problems, "what was not dropped is there");
}

int main(void)
{
    char path[] = "/tmp/candor-test-XXXXXX";
    close(mkstemp(path));
    test_file_size_limit(path);
    test_limit_at_rotation(path);
    test_refused(path);
    test_memory_cap(path);
    test_touched(path, false);
    test_touched(path, true);
    test_full_tmpfs();
    return tap_done();
}
