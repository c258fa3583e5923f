#include "jfr_watch.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum { PAGE = 4096 };

struct jfr_watch jfr_watch;

static bool fails(void)
{
    if (++jfr_watch.calls != jfr_watch.fail_at)
        return false;
    errno = EIO;
    return true;
}

static void look(void)
{
    if (jfr_watch.look)
        jfr_watch.look();
}

static ssize_t watched_pwrite(int fd, const void *bytes, size_t size, off_t offset)
{
    size_t page = PAGE - (size_t)offset % PAGE;
    if (fails())
        return -1;
    if (jfr_watch.page_by_page && size > page)
        size = page;
    ssize_t n = syscall(SYS_pwrite64, fd, bytes, size, offset);
    look();
    return n;
}

static int watched_ftruncate(int fd, off_t size)
{
    if (fails())
        return -1;
    int rc = (int)syscall(SYS_ftruncate, fd, size);
    look();
    return rc;
}

/* The compiler's options decide which of these names are called. */
ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset);
ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t offset);
int ftruncate(int fd, off_t size);
int ftruncate64(int fd, off64_t size);

#undef pwrite
#undef ftruncate
ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t offset)
{
    return watched_pwrite(fd, bytes, size, offset);
}

int ftruncate64(int fd, off64_t size)
{
    return watched_ftruncate(fd, size);
}

#ifndef __USE_FILE_OFFSET64
ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset)
{
    return watched_pwrite(fd, bytes, size, offset);
}

int ftruncate(int fd, off_t size)
{
    return watched_ftruncate(fd, size);
}
#endif
