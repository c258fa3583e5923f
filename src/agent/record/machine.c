#include "agent/record/machine.h"

#include "base/map.h"
#include "base/time_units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static void read_os(struct machine *m)
{
    struct utsname u;
    char line[128], name[128] = "";
    FILE *f = fopen("/etc/os-release", "re");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "PRETTY_NAME=\"%127[^\"]", name) == 1)
            break;
    if (f)
        fclose(f);
    if (uname(&u))
        memset(&u, 0, sizeof u);
    snprintf(m->host, sizeof m->host, "%.64s", u.nodename);
    snprintf(m->os, sizeof m->os, "%s, Linux %.64s %.32s", name[0] ? name : "unknown distribution", u.release, u.machine);
}

/* Counts sockets and cores. Cores are the distinct (socket, core id) pairs of /proc/cpuinfo. */
static void read_cpu(struct machine *m)
{
    char line[256];
    unsigned physical = 0, core;
    struct map cores, sockets;
    bool added;
    map_init(&cores);
    map_init(&sockets);
    FILE *f = fopen("/proc/cpuinfo", "re");
    while (f && fgets(line, sizeof line, f)) {
        if (!m->cpu[0])
            sscanf(line, "model name : %127[^\n]", m->cpu);
        if (sscanf(line, "physical id : %u", &physical) == 1)
            map_add(&sockets, physical, &added);
        if (sscanf(line, "core id : %u", &core) == 1)
            map_add(&cores, (uint64_t)physical << 32 | core, &added);
    }
    if (f)
        fclose(f);
    m->sockets = sockets.count ? (uint32_t)sockets.count : 1;
    m->hw_threads = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
    m->cores = cores.count ? (uint32_t)cores.count : m->hw_threads;
    map_deinit(&cores);
    map_deinit(&sockets);
}

void machine_read(struct machine *m)
{
    memset(m, 0, sizeof *m);
    read_os(m);
    read_cpu(m);
}

uint64_t machine_clock_resolution_ns(const struct clock *c)
{
    struct timespec t;
    /* The coarse clock advances once per tick. */
    bool ticks = c->kind == CLOCK_TIMER || c->kind == CLOCK_ITIMER;
    if (clock_getres(ticks ? CLOCK_MONOTONIC_COARSE : CLOCK_MONOTONIC, &t))
        return 0;
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}
