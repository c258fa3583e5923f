/* Finds the C library for which a shared library was built. */
#include "attach/libc.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { SEGMENTS_MAX = 64, DYNAMICS_MAX = 512, NAME_SIZE = 32 };

#ifdef __GLIBC__
static const enum libc ours = LIBC_GLIBC;
#else
static const enum libc ours = LIBC_MUSL;
#endif

struct image {
    int fd, segment_count, dynamic_count;
    Elf64_Phdr segments[SEGMENTS_MAX];
    Elf64_Dyn dynamics[DYNAMICS_MAX];
};

static bool read_at(int fd, void *out, size_t size, uint64_t at)
{
    return at < INT64_MAX && pread(fd, out, size, (off_t)at) == (ssize_t)size;
}

static bool read_segments(struct image *image)
{
    Elf64_Ehdr head;
    if (!read_at(image->fd, &head, sizeof head, 0) || memcmp(head.e_ident, ELFMAG, SELFMAG) || head.e_ident[EI_CLASS] != ELFCLASS64 ||
        head.e_phentsize != sizeof *image->segments || head.e_phnum > SEGMENTS_MAX)
        return false;
    image->segment_count = head.e_phnum;
    return read_at(image->fd, image->segments, head.e_phnum * sizeof *image->segments, head.e_phoff);
}

static bool read_dynamics(struct image *image)
{
    for (int i = 0; i < image->segment_count; i++) {
        const Elf64_Phdr *s = &image->segments[i];
        if (s->p_type != PT_DYNAMIC)
            continue;
        image->dynamic_count = s->p_filesz > sizeof image->dynamics ? DYNAMICS_MAX : (int)(s->p_filesz / sizeof(Elf64_Dyn));
        return read_at(image->fd, image->dynamics, (size_t)image->dynamic_count * sizeof(Elf64_Dyn), s->p_offset);
    }
    return false;
}

/* Returns the string table's offset in the file, 0 = not found. */
static uint64_t find_strings(const struct image *image)
{
    uint64_t address = 0;
    for (int i = 0; i < image->dynamic_count; i++)
        if (image->dynamics[i].d_tag == DT_STRTAB)
            address = image->dynamics[i].d_un.d_ptr;
    for (int i = 0; i < image->segment_count; i++) {
        const Elf64_Phdr *s = &image->segments[i];
        if (s->p_type == PT_LOAD && address >= s->p_vaddr && address - s->p_vaddr < s->p_filesz)
            return address - s->p_vaddr + s->p_offset;
    }
    return 0;
}

static enum libc by_name(const char *needed)
{
    if (!strcmp(needed, "libc.so.6"))
        return LIBC_GLIBC;
    return !strncmp(needed, "libc.musl-", 10) || !strcmp(needed, "libc.so") ? LIBC_MUSL : LIBC_UNKNOWN;
}

enum libc libc_of(int fd)
{
    struct image image = {.fd = fd};
    enum libc found = LIBC_UNKNOWN;
    if (!read_segments(&image) || !read_dynamics(&image))
        return found;
    uint64_t strings = find_strings(&image);
    for (int i = 0; strings && i < image.dynamic_count && image.dynamics[i].d_tag != DT_NULL && !found; i++) {
        char name[NAME_SIZE];
        uint64_t at = strings + image.dynamics[i].d_un.d_val;
        ssize_t n = image.dynamics[i].d_tag == DT_NEEDED && at < INT64_MAX ? pread(fd, name, sizeof name, (off_t)at) : 0;
        if (n > 0 && memchr(name, 0, (size_t)n)) /* a longer name is not one of the C libraries' names */
            found = by_name(name);
    }
    return found;
}

int libc_check(const struct process *p, struct error *e)
{
    static const char *const names[] = {"", "glibc", "musl"};
    struct process_maps maps;
    if (process_read_maps(p->pid, &maps) || !*maps.libjvm)
        return 0;
    int fd = process_open_file(p, maps.libjvm);
    if (fd < 0)
        return 0;
    enum libc theirs = libc_of(fd);
    close(fd);
    if (theirs == LIBC_UNKNOWN || theirs == ours)
        return 0;
    return error_set(
        e, -ENOEXEC,
        "cannot attach to %d: its JVM was built for %s, but the agent of this candor for %s; use a candor that was built for %s", p->pid,
        names[theirs], names[ours], names[theirs]);
}
