#include "doctor/checkup/identity.h"

#include "attach/process.h"
#include "base/procfs.h"
#include "base/text/number.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

enum { PATIENCE_S = 20 };

static uint64_t number_of(const char *text, const char *name, int base)
{
    return number_based_or_zero(procfs_field(text, name), base);
}

int identity_parse(const char *text, struct identity *who)
{
    const char *uid = procfs_field(text, "Uid"), *gid = procfs_field(text, "Gid"), *queued = procfs_field(text, "SigQ");
    unsigned real, effective;
    if (!uid || !gid || sscanf(uid, "%u %u", &real, &effective) != 2)
        return -EINVAL;
    who->real_uid = real;
    who->uid = effective;
    if (sscanf(gid, "%u %u", &real, &effective) != 2)
        return -EINVAL;
    who->gid = effective;
    who->capabilities = number_of(text, "CapEff", 16);
    who->caught = number_of(text, "SigCgt", 16);
    who->seccomp = (int)number_of(text, "Seccomp", 10);
    who->tracer = (pid_t)number_of(text, "TracerPid", 10);
    who->threads = (int)number_of(text, "Threads", 10);
    who->queued_signals = queued ? (long)number_or_zero(queued) : -1;
    return 0;
}

int identity_read(pid_t pid, struct identity *who)
{
    char text[8192], link[64], space[64] = "";
    *who = (struct identity){0};
    pid = pid ? pid : getpid();
    ssize_t n = process_read_file(pid, "status", text, sizeof text);
    if (n < 0)
        return (int)n;
    snprintf(link, sizeof link, "/proc/%d/ns/user", pid);
    n = readlink(link, space, sizeof space - 1);
    who->initial_users = n < 0 || !strcmp(space, "user:[4026531837]"); /* the kernel's fixed number of the initial namespace */
    return identity_parse(text, who);
}

/* Returns the capabilities that count for perf and for access to other users' processes. Capabilities in another user namespace do not
 * count. */
static uint64_t counting(const struct identity *who)
{
    return who->initial_users ? who->capabilities : 0;
}

static bool has(const struct identity *who, int capability)
{
    return who->capabilities >> capability & 1;
}

bool identity_has_perfmon(const struct identity *who)
{
    return (counting(who) >> CAP_PERFMON | counting(who) >> CAP_SYS_ADMIN) & 1;
}

bool identity_can_become(const struct identity *who)
{
    struct identity own;
    if (identity_read(0, &own))
        return false;
    bool user = own.uid == who->uid || (has(&own, CAP_SETUID) && has(&own, CAP_SETGID));
    return user && !(counting(who) & ~counting(&own));
}

static void set_capabilities(uint64_t wanted)
{
    struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2];
    if (syscall(SYS_capget, &head, data))
        return;
    for (int i = 0; i < 2; i++) {
        data[i].permitted &= (uint32_t)(wanted >> 32 * i);
        data[i].effective = data[i].permitted;
        data[i].inheritable = 0;
    }
    syscall(SYS_capset, &head, data);
}

static void become(const struct identity *who)
{
    prctl(PR_SET_KEEPCAPS, 1);
    if (who->uid != geteuid() && (setgroups(0, NULL) || setresgid(who->gid, who->gid, who->gid) || setresuid(who->uid, who->uid, who->uid)))
        return;
    set_capabilities(counting(who));
}

int identity_try(const struct identity *who, void (*fn)(void *result), void *result, size_t size)
{
    int status;
    void *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return -errno;
    memcpy(shared, result, size);
    pid_t child = fork();
    if (child == 0) {
        alarm(PATIENCE_S);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        become(who);
        fn(shared);
        _exit(0);
    }
    if (child < 0)
        status = -errno;
    else
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            continue;
    memcpy(result, shared, size);
    munmap(shared, size);
    return status;
}
