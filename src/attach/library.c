/* Finds or makes a copy of the agent library that the target JVM can load. */
#include "attach/library.h"
#include "attach/identity.h"
#include "attach/libc.h"
#include "base/map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define FILE_NAME "libcandor.so"

static bool is_plain(const char *path)
{
    return path[strspn(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+@~")] == 0;
}

/* Whether the user may pass this folder, or read this file. Groups and access lists are not considered: a wrong "no" only costs a copy. */
static bool is_open_to(const struct stat *st, uid_t uid)
{
    mode_t need = S_ISDIR(st->st_mode) ? S_IXOTH : S_IROTH;
    return uid == 0 || (st->st_mode & need) || (st->st_uid == uid && (st->st_mode & need << 6));
}

/* Whether every folder on the path belongs to root or to us, so that no other user can replace anything below, and lets the user pass. */
static bool is_safe_way(const char *path, uid_t uid, bool check_owner)
{
    char part[PATH_MAX];
    struct stat st;
    for (const char *end = path; (end = strchr(end + 1, '/'));) {
        snprintf(part, sizeof part, "%.*s", (int)(end - path), path);
        if (stat(part, &st) || !is_open_to(&st, uid))
            return false;
        bool exchangeable = st.st_mode & S_IWOTH && !(st.st_mode & S_ISVTX);
        if (check_owner && (exchangeable || (st.st_uid != 0 && st.st_uid != geteuid())))
            return false;
    }
    return stat(path, &st) == 0 && is_open_to(&st, uid);
}

static bool find_beside(const struct process *target, char *path, size_t size)
{
    struct stat ours, library;
    ssize_t n = readlink("/proc/self/exe", path, size - 1);
    if (n <= 0 || stat("/proc/self/exe", &ours))
        return false;
    path[n] = 0;
    char *slash = strrchr(path, '/');
    if (!slash || (size_t)(slash - path) + sizeof "/" FILE_NAME > size)
        return false;
    memcpy(slash + 1, FILE_NAME, sizeof FILE_NAME);
    if (stat(path, &library) || !S_ISREG(library.st_mode) || library.st_mode & S_IWOTH)
        return false;
    if (library.st_uid != ours.st_uid && library.st_uid != 0 && library.st_uid != geteuid())
        return false;
    return is_plain(path) && process_sees(target, path) && is_safe_way(path, target->uid, false);
}

static bool has_content(int fd, const void *bytes, size_t len)
{
    char part[16384];
    size_t at = 0;
    ssize_t n = 0;
    while (at < len && (n = read(fd, part, sizeof part)) > 0 && (size_t)n <= len - at && !memcmp(part, (const char *)bytes + at, (size_t)n))
        at += (size_t)n;
    return at == len && read(fd, part, 1) == 0;
}

static bool is_ours_alone(const struct stat *st)
{
    return st->st_uid == geteuid() && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

static bool is_installed(int directory, const void *bytes, size_t len)
{
    struct stat st;
    int fd = openat(directory, FILE_NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool good = !fstat(fd, &st) && S_ISREG(st.st_mode) && is_ours_alone(&st) && st.st_mode & S_IROTH && has_content(fd, bytes, len);
    close(fd);
    return good;
}

static int write_all(int fd, const char *bytes, size_t len)
{
    while (len) {
        ssize_t n = write(fd, bytes, len);
        if (n < 0 && errno != EINTR)
            return -errno;
        if (n > 0) {
            bytes += n;
            len -= (size_t)n;
        }
    }
    return 0;
}

/* Writes the library to another name and renames it, so that a JVM that loads it now sees the complete old file or the complete new one. */
static int write_library(int directory, const void *bytes, size_t len)
{
    char name[48];
    unsigned long long random;
    if (getrandom(&random, sizeof random, 0) != sizeof random)
        return -errno;
    snprintf(name, sizeof name, "." FILE_NAME ".%016llx", random);
    int fd = openat(directory, name, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0644);
    if (fd < 0)
        return -errno;
    int code = write_all(fd, bytes, len);
    if (!code && fchmod(fd, 0644))
        code = -errno;
    if (close(fd) && !code)
        code = -errno;
    if (!code && renameat(directory, name, directory, FILE_NAME))
        code = -errno;
    if (code)
        unlinkat(directory, name, 0);
    return code;
}

int library_install(int parent, const char *name, const void *bytes, size_t len)
{
    struct stat st;
    bool made = mkdirat(parent, name, 0755) == 0;
    if (!made && errno != EEXIST)
        return -errno;
    int directory = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (directory < 0)
        return errno == ENOTDIR || errno == ELOOP ? -EPERM : -errno;
    int code = fstat(directory, &st) ? -errno : !is_ours_alone(&st) ? -EPERM : 0;
    if (!code && made && fchmod(directory, 0755)) /* independently of the umask */
        code = -errno;
    if (!code && !is_installed(directory, bytes, len))
        code = write_library(directory, bytes, len);
    close(directory);
    return code;
}

/* Finds the folder `candor` in the user's cache, and makes it if it is missing. Returns false if there is no usable one. */
static bool cache_folder(char *out, size_t size)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && *cache == '/')
        snprintf(out, size, "%s", cache);
    else if (home && *home == '/')
        snprintf(out, size, "%s/.cache", home);
    else
        return false;
    mkdir(out, 0700);
    size_t n = strlen(out);
    snprintf(out + n, size - n, "/candor");
    return mkdir(out, 0755) == 0 || errno == EEXIST;
}

static int place_in_cache(const void *bytes, size_t len, const struct process *target, char *path, size_t size)
{
    char folder[PATH_MAX - 96], name[64];
    if (!cache_folder(folder, sizeof folder) || !is_plain(folder) || !process_sees(target, folder) ||
        !is_safe_way(folder, target->uid, true))
        return -ENOENT;
    int parent = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat st;
    if (parent < 0)
        return -errno;
    snprintf(name, sizeof name, "agent-%s-%016llx", CANDOR_VERSION, (unsigned long long)hash_bytes(bytes, len));
    int code = !fstat(parent, &st) && is_ours_alone(&st) ? library_install(parent, name, bytes, len) : -EPERM;
    close(parent);
    snprintf(path, size, "%s/%s/" FILE_NAME, folder, name);
    return code;
}

/* Checks the process's /tmp. Returns -EPERM if other users may replace files in it, and -ENOEXEC if libraries cannot be loaded from its
 * file system. */
static int check_tmp(int tmp)
{
    struct stat st;
    struct statvfs disk;
    if (fstat(tmp, &st))
        return -errno;
    if (st.st_mode & S_IWOTH && !(st.st_mode & S_ISVTX))
        return -EPERM;
    return !fstatvfs(tmp, &disk) && disk.f_flag & ST_NOEXEC ? -ENOEXEC : 0;
}

static int install_in_tmp(const void *bytes, size_t len, const struct process *target, const char *name)
{
    struct identity own;
    int tmp = process_open_tmp(target);
    if (tmp < 0)
        return tmp;
    int code = check_tmp(tmp);
    if (!code)
        code = identity_assume(target, &own);
    if (!code) {
        code = library_install(tmp, name, bytes, len);
        identity_restore(&own);
    }
    close(tmp);
    return code;
}

static int explain_tmp(int code, const char *name, struct error *e)
{
    switch (code) {
    case 0:
        return 0;
    case -EPERM:
        return error_set(e, code,
                         "cannot unpack the agent: the folder /tmp/%s must belong to the JVM's user, and be closed to others; have its "
                         "owner or root remove it, or start the JVM with -agentpath:.../libcandor.so",
                         name);
    case -ENOEXEC:
        return error_set(e, code,
                         "cannot unpack the agent: the JVM's /tmp is mounted noexec; put libcandor.so into another folder that the JVM can "
                         "read, and start the JVM with -agentpath:.../libcandor.so");
    default:
        return error_set(e, code, "cannot unpack the agent as /tmp/%s/" FILE_NAME ": %s; %s", name, process_tmp_problem(code),
                         code == -ENOSPC || code == -EDQUOT ? "make room there"
                                                            : "make /tmp writable, or start the JVM with -agentpath:.../libcandor.so");
    }
}

static int place_in_tmp(const void *bytes, size_t len, const struct process *target, char *path, size_t size, struct error *e)
{
    char name[64];
    snprintf(name, sizeof name, ".candor-agent-%u-%016llx", target->uid, (unsigned long long)hash_bytes(bytes, len));
    snprintf(path, size, "/tmp/%s/" FILE_NAME, name);
    return explain_tmp(install_in_tmp(bytes, len, target, name), name, e);
}

int library_place(const void *bytes, size_t len, const struct process *target, char *path, size_t size, struct error *e)
{
    int code = libc_check(target, e);
    if (code)
        return code;
    if (find_beside(target, path, size))
        return 0;
    if (!len)
        return error_set(e, -ENOENT,
                         "cannot find the agent: " FILE_NAME " is not beside candor, and this candor was built "
                         "without it");
    if (!place_in_cache(bytes, len, target, path, size))
        return 0;
    return place_in_tmp(bytes, len, target, path, size, e);
}
