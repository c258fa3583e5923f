/* libcandor-walk-cost.so, an agent that compares the times of its walker and of AsyncGetCallTrace. The environment names the output:
 *
 *   CANDOR_WALK_COST=FILE      for each sample a line "frames ours_ns theirs_ns"
 *
 * In the handler, after a sample, both walk the same stack, ROUNDS times in turns; the line has the median of each. */
#include "agent/hot/inject.h"
#include "agent/hot/record.h"
#include "agent/hot/signal/handler.h"
#include "agent/hot/walk/agct.h"
#include "agent/hot/walk/walk.h"
#include "base/time_units.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 9 };

static int file = -1;

__attribute__((constructor)) static void open_file(void)
{
    const char *path = getenv("CANDOR_WALK_COST");
    file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644) : -1;
}

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static uint32_t walk_ours(const struct registers *at, uintptr_t java_thread)
{
    struct walk w;
    uint64_t frame;
    walk_begin(&w, at, java_thread);
    while (walk_next(&w, &frame))
        ;
    return w.java_frames;
}

static int walk_theirs(void *env, const struct registers *at)
{
    static struct agct_frame frames[FRAMES_MAX];
    struct agct_trace trace = {.env = env, .frames = frames};
    agct.function(&trace, FRAMES_MAX, (void *)at->ucontext);
    return trace.count;
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint64_t median(uint64_t *times)
{
    qsort(times, ROUNDS, sizeof *times, by_size);
    return times[ROUNDS / 2];
}

void inject_walks(struct sampled_thread *t, const struct registers *at)
{
    uint64_t ours[ROUNDS], theirs[ROUNDS];
    uintptr_t java_thread = atomic_load(&t->java_thread);
    void *env = agct.function && java_thread ? (void *)(java_thread + vm_layout.env_offset) : NULL;
    int frames = env && file >= 0 ? walk_theirs(env, at) : 0;
    if (frames <= 0 || (uint32_t)frames != walk_ours(at, java_thread)) /* stacks that differ are not compared */
        return;
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t begin = now_ns();
        walk_ours(at, java_thread);
        uint64_t between = now_ns();
        walk_theirs(env, at);
        ours[i] = between - begin;
        theirs[i] = now_ns() - between;
    }
    char line[64]; /* dprintf would allocate */
    int length =
        snprintf(line, sizeof line, "%d %llu %llu\n", frames, (unsigned long long)median(ours), (unsigned long long)median(theirs));
    if (write(file, line, (size_t)length) != length)
        file = -1;
}
