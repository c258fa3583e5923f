/* Acts with the rights of another process. The system calls are made directly, because the C library's functions change every thread of the
 * program. */
#include "attach/identity.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int capabilities(long call, struct __user_cap_data_struct *sets)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    return (int)syscall(call, &head, sets);
}

static int remember(struct identity *own)
{
    own->uid = geteuid();
    own->gid = getegid();
    int count = getgroups(0, NULL);
    own->groups = count < 0 ? NULL : malloc((size_t)(count + 1) * sizeof *own->groups);
    if (!own->groups)
        return -ENOMEM;
    own->group_count = getgroups(count, own->groups);
    return own->group_count < 0 || capabilities(SYS_capget, own->capabilities) ? -errno : 0;
}

static int drop_capabilities(const struct identity *own)
{
    struct __user_cap_data_struct none[2];
    memcpy(none, own->capabilities, sizeof none);
    none[0].effective = none[1].effective = 0;
    return capabilities(SYS_capset, none) ? -errno : 0;
}

static int change_user(const struct process *p, struct identity *own)
{
    if (syscall(SYS_setgroups, 0, NULL))
        return -errno;
    own->changed_user = true;
    return syscall(SYS_setresgid, -1, p->gid, -1) || syscall(SYS_setresuid, -1, p->uid, -1) ? -errno : 0;
}

/* Changes the rights. A root without the capability to change users, as in many containers, can still act for its own processes. */
static int change(const struct process *p, struct identity *own)
{
    int code = p->uid != own->uid || p->gid != own->gid ? change_user(p, own) : 0;
    if (code)
        return code == -EPERM ? -EACCES : code;
    return drop_capabilities(own);
}

int identity_assume(const struct process *p, struct identity *own)
{
    *own = (struct identity){.group_count = -1};
    if (geteuid() != 0)
        return 0;
    int code = remember(own);
    if (code) {
        free(own->groups);
        *own = (struct identity){.group_count = -1};
        return code;
    }
    code = change(p, own);
    if (code)
        identity_restore(own);
    return code;
}

void identity_restore(struct identity *own)
{
    int error = errno;
    if (own->group_count < 0)
        return;
    /* The user is restored first, because this restores the capabilities that the other steps need. All rights were ours before, so none of
     * these steps can fail. A thread that continued with wrong rights would do harm. */
    if (syscall(SYS_setresuid, -1, own->uid, -1) || capabilities(SYS_capset, own->capabilities) ||
        (own->changed_user && (syscall(SYS_setresgid, -1, own->gid, -1) || syscall(SYS_setgroups, own->group_count, own->groups))))
        abort();
    free(own->groups);
    own->group_count = -1;
    errno = error;
}
