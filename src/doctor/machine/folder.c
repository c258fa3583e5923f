#include "doctor/machine/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

struct
try {
    int folder;
    int error;       /* the errno of creating an empty file, as attaching does */
    int write_error; /* the errno of writing to it */
};

/* Creates a file and writes to it, as the user who will attach. The JVM of that user creates its socket in this folder. On a full disk
 * it may still be possible to create an empty file. */
static void try_file(void *result)
{
    struct try *t = result;
    char name[64];
    snprintf(name, sizeof name, ".candor-doctor-%d", (int)getpid());
    int fd = openat(t->folder, name, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0600);
    t->error = fd < 0 ? errno : 0;
    if (fd < 0)
        return;
    t->write_error = write(fd, name, 1) == 1 ? 0 : errno;
    close(fd);
    unlinkat(t->folder, name, 0);
}

static void add_refused(struct checkup *f, int error, bool is_needed)
{
    bool full = error == ENOSPC || error == EDQUOT;
    checkup_add(f, is_needed ? CHECK_PROBLEM : CHECK_WARNING, "/tmp", full ? "full: %s" : "cannot be written: %s", strerror(error));
    checkup_meaning(f, is_needed ? "neither candor nor the JVM can create the files that are needed to attach"
                                 : "the agent is already active and does not need it; but attaching would fail, and so would --jfr on");
    if (full)
        checkup_remedy(f, "make room in /tmp");
    else
        checkup_remedy(f, "make /tmp writable for the JVM's user (mode 1777; in a container mount a tmpfs there), or start the JVM with "
                          "-agentpath:.../libcandor.so");
}

static void check_open(struct checkup *f, int folder, const struct identity *who, bool is_needed)
{
    struct statvfs st;
    struct try t = {.folder = folder, .error = EINTR};
    identity_try(who, try_file, &t, sizeof t);
    if (t.error) {
        add_refused(f, t.error, is_needed);
    } else if (t.write_error) {
        checkup_add(f, CHECK_NOTE, "/tmp", "full, but empty files can be created: %s", strerror(t.write_error));
        checkup_meaning(f, "attaching works, but --jfr and recordings to that folder do not");
        checkup_remedy(f, "make room in /tmp");
    } else if (!fstatvfs(folder, &st) && st.f_flag & ST_NOEXEC) {
        checkup_add(f, CHECK_NOTE, "/tmp", "writable, but code in it may not be executed (noexec)");
        checkup_meaning(f, "the agent library cannot be loaded from this folder, which is the last one that candor tries");
        checkup_remedy(f, "keep libcandor.so beside candor, where the JVM can read it");
    } else {
        checkup_add(f, CHECK_OK, "/tmp", "writable");
    }
}

void folder_check(struct checkup *f, const struct process *p, const struct identity *who, bool is_needed)
{
    int folder = p ? process_open_tmp(p) : open("/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC);
    int code = folder < 0 ? (p ? -folder : errno) : 0;
    if (code) {
        checkup_add(f, is_needed ? CHECK_PROBLEM : CHECK_WARNING, "/tmp", "cannot be opened: %s", strerror(code));
        checkup_meaning(f, "candor and the JVM need it to find each other");
        checkup_remedy(f, "create /tmp (mode 1777); for another user's JVM run candor as root");
        return;
    }
    check_open(f, folder, who, is_needed);
    close(folder);
}
