#include "doctor/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

struct try {
    int folder, error;
};

/* As the user who will create the socket there. */
static void try_access(void *result)
{
    struct try *t = result;
    t->error = faccessat(t->folder, ".", W_OK | X_OK, AT_EACCESS) ? errno : 0;
}

static void check_open(struct checkup *f, int folder, const struct identity *who)
{
    struct statvfs st;
    struct try t = {folder, EINTR};
    identity_try(who, try_access, &t, sizeof t);
    if (fstatvfs(folder, &st))
        t.error = errno;
    if (t.error) {
        checkup_add(f, CHECK_PROBLEM, "/tmp", "cannot be written: %s", strerror(t.error));
        checkup_meaning(f, "the JVM cannot open the sockets for attaching and for the agent");
        checkup_remedy(f, "make /tmp writable for the JVM's user (mode 1777); in a container mount one, for instance a tmpfs");
    } else if (st.f_bavail == 0 || (st.f_files && st.f_favail == 0)) {
        checkup_add(f, CHECK_PROBLEM, "/tmp", "full");
        checkup_meaning(f, "the files for attaching cannot be created");
        checkup_remedy(f, "make room in /tmp");
    } else if (st.f_flag & ST_NOEXEC) {
        checkup_add(f, CHECK_NOTE, "/tmp", "writable, but code in it may not be executed (noexec)");
        checkup_meaning(f, "the agent library cannot be loaded from there, the last of the places where it is put");
        checkup_remedy(f, "keep libcandor.so beside candor, where the JVM can read it");
    } else {
        checkup_add(f, CHECK_OK, "/tmp", "writable");
    }
}

void folder_check(struct checkup *f, const struct process *p, const struct identity *who)
{
    int folder = p ? process_open_tmp(p) : open("/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC);
    int code = folder < 0 ? (p ? -folder : errno) : 0;
    if (code) {
        checkup_add(f, CHECK_PROBLEM, "/tmp", "cannot be opened: %s", strerror(code));
        checkup_meaning(f, "candor and the JVM meet there");
        checkup_remedy(f, "create /tmp (mode 1777); for another user's JVM run candor as root");
        return;
    }
    check_open(f, folder, who);
    close(folder);
}
