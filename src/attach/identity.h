/* Acts with the rights of another process. When root works in the /tmp of a process that it does not trust, it uses that process's own user
 * and no other rights. A mount, link or file that was placed there on purpose can then lead only to places that the process can reach
 * itself. Files and connections that are created there belong to the one user that a JVM in a user namespace knows. */
#ifndef CANDOR_ATTACH_IDENTITY_H
#define CANDOR_ATTACH_IDENTITY_H

#include "attach/process.h"

#include <linux/capability.h>

/* The thread's rights from before. */
struct identity {
    uid_t uid;
    gid_t gid;
    gid_t *groups;
    int group_count; /* -1 = nothing was changed */
    bool changed_user;
    struct __user_cap_data_struct capabilities[2];
};

/* Gives the calling thread, if it is root's, the process's effective user and group, no other groups and no capabilities. Any other thread
 * keeps its rights. Returns 0, or a negative errno (-EACCES: we may not); an error changes nothing. Between this call and identity_restore,
 * use only descriptors that are already open. */
int identity_assume(const struct process *p, struct identity *own);
/* Restores the thread's own user and rights. It may also be called after a failure, and preserves errno. */
void identity_restore(struct identity *own);

#endif
