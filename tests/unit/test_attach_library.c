/* Unpacking the agent library: it is written once, repaired if it was changed, and never written through files that another user has
 * planted.
 * tier: quick
 * timeout: 20 */
#include "../tap.h"

#include "attach/library.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/candor-library-XXXXXX";
static int at;
static char content[100000];

static struct stat stat_of(const char *name)
{
    struct stat st = {0};
    fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW);
    return st;
}

static bool holds_content(const char *name)
{
    static char found[sizeof content + 1];
    int fd = openat(at, name, O_RDONLY);
    ssize_t n = read(fd, found, sizeof found);
    close(fd);
    return n == (ssize_t)sizeof content && !memcmp(found, content, sizeof content);
}

static void put(const char *name, const char *text, size_t len, mode_t mode)
{
    unlinkat(at, name, 0);
    int fd = openat(at, name, O_CREAT | O_WRONLY | O_TRUNC, 0600);
    if (fd < 0 || write(fd, text, len) != (ssize_t)len || fchmod(fd, mode))
        tap_note("cannot prepare %s", name);
    close(fd);
}

static int install(const char *name)
{
    return library_install(at, name, content, sizeof content);
}

static void test_making(void)
{
    umask(077);
    tap_ok(install("a") == 0 && holds_content("a/libcandor.so"), "the library is made");
    tap_ok((stat_of("a").st_mode & 0777) == 0755 && (stat_of("a/libcandor.so").st_mode & 0777) == 0644,
           "readable by all, whatever the umask");
    ino_t before = stat_of("a/libcandor.so").st_ino;
    tap_ok(install("a") == 0 && stat_of("a/libcandor.so").st_ino == before, "a good one is left alone");
}

static void test_repair(void)
{
    static char other[sizeof content];
    memcpy(other, content, sizeof content);
    other[sizeof content - 1] ^= 1;
    put("a/libcandor.so", other, sizeof other, 0644);
    tap_ok(install("a") == 0 && holds_content("a/libcandor.so"), "another content of the same length is replaced");
    put("a/libcandor.so", content, sizeof content - 1, 0644);
    tap_ok(install("a") == 0 && holds_content("a/libcandor.so"), "a short one is replaced");
    put("a/libcandor.so", "", 0, 0644);
    tap_ok(install("a") == 0 && holds_content("a/libcandor.so"), "an empty one is replaced");
    put("a/libcandor.so", content, sizeof content, 0666);
    tap_ok(install("a") == 0 && (stat_of("a/libcandor.so").st_mode & 0777) == 0644, "one that others could have changed is replaced");
    put("a/libcandor.so", content, sizeof content, 0600);
    tap_ok(install("a") == 0 && (stat_of("a/libcandor.so").st_mode & 0777) == 0644, "one others cannot read is replaced");
}

static void test_planted(void)
{
    mkdirat(at, "victim", 0755);
    put("victim/file", "precious", 8, 0644);
    if (symlinkat("victim", at, "b") || unlinkat(at, "a/libcandor.so", 0) || symlinkat("../victim/file", at, "a/libcandor.so"))
        tap_note("cannot plant links");
    tap_ok(install("b") == -EPERM && stat_of("victim/libcandor.so").st_ino == 0, "a link in place of the folder is refused");
    tap_ok(install("a") == 0 && S_ISREG(stat_of("a/libcandor.so").st_mode) && stat_of("victim/file").st_size == 8,
           "a link in place of the file is replaced, not followed");
    put("c", "x", 1, 0644);
    tap_ok(install("c") == -EPERM, "a file in place of the folder is refused");
    mkdirat(at, "d", 0755);
    if (fchmodat(at, "d", 0777, 0))
        tap_note("cannot open folder d");
    tap_ok(install("d") == -EPERM, "a folder that others may write is refused");
    if (geteuid() == 0 && !mkdirat(at, "e", 0755) && !fchownat(at, "e", 65534, 65534, 0))
        tap_ok(install("e") == -EPERM, "somebody else's folder is refused");
    else
        tap_skip("somebody else's folder: only root can make one");
}

static void test_failure(void)
{
    int none = open("/proc/self", O_RDONLY | O_DIRECTORY);
    tap_ok(library_install(none, "x", content, sizeof content) < 0, "a folder that cannot be made is an error");
    close(none);
}

int main(void)
{
    for (size_t i = 0; i < sizeof content; i++)
        content[i] = (char)(i * 7 + i / 251);
    at = mkdtemp(folder) ? open(folder, O_RDONLY | O_DIRECTORY) : -1;
    if (tap_ok(at >= 0, "a folder to work in")) {
        test_making();
        test_repair();
        test_planted();
        test_failure();
    }
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    tap_ok(system(command) == 0, "cleaned up");
    return tap_done();
}
