#include "doctor/machine/kernel.h"

#include "base/procfs.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/utsname.h>

int kernel_parse_version(const char *release, int *major, int *minor)
{
    return sscanf(release, "%d.%d", major, minor) == 2 ? 0 : -EINVAL;
}

bool kernel_is_at_least(int major, int minor, int wanted_major, int wanted_minor)
{
    return major > wanted_major || (major == wanted_major && minor >= wanted_minor);
}

void kernel_version(int *major, int *minor)
{
    struct utsname name;
    if (uname(&name) || kernel_parse_version(name.release, major, minor))
        *major = *minor = 0;
}

int kernel_perf_paranoid(void)
{
    long long value;
    return procfs_read_number("/proc/sys/kernel/perf_event_paranoid", &value) ? INT_MAX : (int)value;
}

void kernel_judge_paranoid(struct checkup *f, int paranoid, bool perfmon)
{
    static const char name[] = "perf_event_paranoid";
    if (paranoid == INT_MAX) {
        checkup_add(f, CHECK_WARNING, name, "no such setting");
        checkup_meaning(f, "this kernel has no perf events, or hides them");
        checkup_remedy(f, "use a kernel with CONFIG_PERF_EVENTS");
    } else if (paranoid <= 1) {
        checkup_add(f, CHECK_OK, name, "%d", paranoid);
        checkup_meaning(f, "every user may sample, kernel mode included");
    } else if (perfmon) {
        checkup_add(f, CHECK_OK, name, "%d", paranoid);
        checkup_meaning(f, "this user has capabilities that override it; JVMs of ordinary users may not");
    } else {
        checkup_add(f, CHECK_WARNING, name, "%d", paranoid);
        checkup_meaning(f, paranoid == 2 ? "this user may not sample kernel mode"
                                         : "this user may not sample kernel mode; on some kernels this user may not sample at all");
        checkup_remedy(f, "sysctl kernel.perf_event_paranoid=1, or grant CAP_PERFMON");
    }
}

static void check_version(struct checkup *f)
{
    struct utsname name;
    int major, minor;
    kernel_version(&major, &minor);
    bool fresh = kernel_is_at_least(major, minor, 6, 1);
    checkup_add(f, fresh ? CHECK_OK : CHECK_NOTE, "kernel", "Linux %s", uname(&name) ? "?" : name.release);
    if (!fresh) {
        checkup_meaning(f, "before Linux 6.1 the kernel does not deliver SIGTRAP reliably, so the cheapest clock, sigtrap, is not used");
        checkup_remedy(f, "a newer kernel");
    }
}

static void check_filter(struct checkup *f, const struct identity *who)
{
    if (who->seccomp != 2) {
        checkup_add(f, CHECK_OK, "seccomp", "no filter");
        return;
    }
    checkup_add(f, CHECK_NOTE, "seccomp", "a filter is active");
    checkup_meaning(f, "the checks below show what it refuses");
}

void kernel_check(struct checkup *f, const struct identity *who)
{
    check_version(f);
    kernel_judge_paranoid(f, kernel_perf_paranoid(), identity_has_perfmon(who));
    check_filter(f, who);
}
