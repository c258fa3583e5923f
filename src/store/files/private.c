#include "store/files/private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEPTH_MAX = 8, PRIVATE_FILE = 0600, PRIVATE_FOLDER = 0700, OF_OTHERS = 077, MODES = 07777 };

static bool is_any(const char *name)
{
    return true;
}

static int make_folder(int folder, bool (*is_ours)(const char *name), bool *others, int depth);

static int make_one(int folder, const char *name, int depth)
{
    struct stat st;
    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW))
        return errno == ENOENT ? 0 : -errno;
    if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
        return 0;
    mode_t wanted = S_ISDIR(st.st_mode) ? PRIVATE_FOLDER : PRIVATE_FILE;
    if ((st.st_mode & MODES) != wanted && fchmodat(folder, name, wanted, 0))
        return -errno;
    if (!S_ISDIR(st.st_mode) || depth == DEPTH_MAX)
        return 0;
    int inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    bool others;
    return inner < 0 ? -errno : make_folder(inner, is_any, &others, depth + 1);
}

/* Takes over the descriptor. */
static int make_folder(int folder, bool (*is_ours)(const char *name), bool *others, int depth)
{
    DIR *dir = fdopendir(folder);
    int rc = dir ? 0 : -errno;
    *others = false;
    for (struct dirent *entry; !rc && (entry = readdir(dir));) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        if (is_ours(entry->d_name))
            rc = make_one(folder, entry->d_name, depth);
        else
            *others = true;
    }
    if (dir)
        closedir(dir);
    else
        close(folder);
    return rc;
}

int private_make(const char *path, bool (*is_ours)(const char *name), bool *shared, struct error *e)
{
    struct stat st;
    bool others = false;
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc = folder < 0 || fstat(folder, &st) ? -errno : 0;
    if (!rc)
        rc = make_folder(folder, is_ours, &others, 0);
    else if (folder >= 0)
        close(folder);
    *shared = others && st.st_mode & OF_OTHERS;
    if (!rc && !others && (st.st_mode & MODES) != PRIVATE_FOLDER && chmod(path, PRIVATE_FOLDER))
        rc = -errno;
    return rc ? error_set(e, rc, "%s: cannot be made private: %s; give it to the user who runs the server", path, strerror(-rc)) : 0;
}
