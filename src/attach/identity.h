/* Acting with the rights of another process. Root works in the /tmp of a process that it does not trust with that process's own
 * user and nothing more, so no mount, link or file planted there leads anywhere that the process could not go itself. Files
 * created there, and connections, belong to the one user that a JVM in a user namespace knows. */
#ifndef CANDOR_ATTACH_IDENTITY_H
#define CANDOR_ATTACH_IDENTITY_H

#include "attach/process.h"

#include <linux/capability.h>

/* What the thread was before. */
struct identity {
    uid_t uid;
    gid_t gid;
    gid_t *groups;
    int group_count; /* -1 = nothing was changed */
    bool changed_user;
    struct __user_cap_data_struct capabilities[2];
};

/* Gives the calling thread, when it is root's, the process's effective user and group, no other groups and no capability;
 * any other thread stays what it is. 0, or a negative errno (-EACCES: we may not) and nothing is changed. Between this and
 * identity_restore only system calls on what is open already make sense. */
int identity_assume(const struct process *p, struct identity *own);
/* Restores the thread's own user and rights; may also be called after a failure. errno is preserved. */
void identity_restore(struct identity *own);

#endif
