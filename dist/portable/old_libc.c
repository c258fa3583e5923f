/*
 * What glibc 2.17 lacks and the portable program needs: functions that came later, by means of what was there, and the start of a program.
 *
 * Linked only with -Dportable=true, into programs whose other functions are bound to old versions (dist/portable/stubs). It is separate
 * because the ordinary build uses the C library's own functions.
 */
#undef _FILE_OFFSET_BITS /* it would give stat the name stat64, and both are defined here */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Before 2.33 stat() and its relatives were functions of the program, in terms of the C library's __xstat. A system call does the same. */
#define STAT_FAMILY(suffix, type)                                                                                                          \
    int fstatat##suffix(int directory, const char *path, struct type *st, int flags)                                                       \
    {                                                                                                                                      \
        return (int)syscall(SYS_newfstatat, directory, path, st, flags);                                                                   \
    }                                                                                                                                      \
    int stat##suffix(const char *path, struct type *st)                                                                                    \
    {                                                                                                                                      \
        return fstatat##suffix(AT_FDCWD, path, st, 0);                                                                                     \
    }                                                                                                                                      \
    int lstat##suffix(const char *path, struct type *st)                                                                                   \
    {                                                                                                                                      \
        return fstatat##suffix(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);                                                                   \
    }                                                                                                                                      \
    int fstat##suffix(int fd, struct type *st)                                                                                             \
    {                                                                                                                                      \
        return (int)syscall(SYS_fstat, fd, st);                                                                                            \
    }

STAT_FAMILY(, stat)
STAT_FAMILY(64, stat64)

/* All commands of fcntl take at most one argument, a number or a pointer. */
int fcntl64(int fd, int command, ...)
{
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    return (fcntl)(fd, command, argument);
}

void explicit_bzero(void *memory, size_t n)
{
    memset(memory, 0, n);
    __asm__ volatile("" : : "r"(memory) : "memory"); /* the compiler may not leave the memset out */
}

/* Kernels before 3.17 have no getrandom. */
static ssize_t read_random(void *buffer, size_t n)
{
    int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t got = read(fd, buffer, n);
    int error = errno;
    close(fd);
    errno = error;
    return got;
}

ssize_t getrandom(void *buffer, size_t n, unsigned flags)
{
    ssize_t got = syscall(SYS_getrandom, buffer, n, flags);
    return got < 0 && errno == ENOSYS ? read_random(buffer, n) : got;
}

int getentropy(void *buffer, size_t n)
{
    for (size_t have = 0; have < n;) {
        ssize_t got = getrandom((char *)buffer + have, n - have, 0);
        if (got < 0 && errno != EINTR)
            return -1;
        have += got > 0 ? (size_t)got : 0;
    }
    return 0;
}

/* Before 2.34 a program brought the function that runs its constructors, and handed it to the C library. The start code of today's
 * compiler hands over none, so this one goes between. */
typedef void (*constructor)(int argc, char **argv, char **envp);
extern constructor __init_array_start[] __attribute__((visibility("hidden")));
extern constructor __init_array_end[] __attribute__((visibility("hidden")));
void _init(void);
int __real___libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, constructor init, void (*fini)(void),
                             void (*rtld_fini)(void), void *stack_end);
int __wrap___libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, constructor init, void (*fini)(void),
                             void (*rtld_fini)(void), void *stack_end);

static void construct(int argc, char **argv, char **envp)
{
    _init();
    for (constructor *c = __init_array_start; c < __init_array_end; c++)
        (*c)(argc, argv, envp);
}

int __wrap___libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, constructor init, void (*fini)(void),
                             void (*rtld_fini)(void), void *stack_end)
{
    return __real___libc_start_main(main, argc, argv, init ? init : construct, fini, rtld_fini, stack_end);
}
