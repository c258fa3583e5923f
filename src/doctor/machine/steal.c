#include "doctor/machine/steal.h"

#include "base/procfs.h"

#include <errno.h>
#include <stdio.h>
#include <sys/types.h>

/* A line has the form: cpu user nice system idle iowait irq softirq steal guest guest_nice. Guest time is part of user time. */
int steal_parse(const char *stat, struct steal *s)
{
    unsigned long long t[8];
    *s = (struct steal){0};
    if (sscanf(stat, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6], &t[7]) != 8)
        return -EINVAL;
    for (int i = 0; i < 8; i++)
        s->all += t[i];
    s->stolen = t[7];
    return 0;
}

int steal_read(struct steal *s)
{
    char text[512];
    ssize_t n = procfs_read("/proc/stat", text, sizeof text);
    return n < 0 ? (int)n : steal_parse(text, s);
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

void steal_judge(struct checkup *f, const struct steal *before, const struct steal *after)
{
    double now = percent(after->stolen - before->stolen, after->all - before->all);
    bool much = now > 5;
    checkup_add(f, much ? CHECK_WARNING : CHECK_OK, "stolen time", "%.1f %% since boot, %.1f %% while measuring",
                percent(after->stolen, after->all), now);
    if (much) {
        checkup_meaning(
            f, "during this time the hypervisor gave the CPUs to other virtual machines: everything takes longer, at irregular moments");
        checkup_remedy(f, "compare shares rather than seconds, or use a machine with dedicated CPUs");
    }
}
