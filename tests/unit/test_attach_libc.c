/* The C library that an ELF file needs. Files that are cut off at any length, or have a wrong byte, must do no harm.
 * tier: quick
 * timeout: 20 */
#include "../tap.h"

#include "attach/libc.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct library {
    Elf64_Ehdr head;
    Elf64_Phdr segments[2];
    Elf64_Dyn dynamics[4];
    char strings[64];
};

static struct library library;
static int fd;

static void make(const char *first, const char *second)
{
    Elf64_Addr at = offsetof(struct library, dynamics);
    library = (struct library){
        .head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                 .e_type = ET_DYN,
                 .e_phoff = offsetof(struct library, segments),
                 .e_phentsize = sizeof(Elf64_Phdr),
                 .e_phnum = 2},
        .segments = {{.p_type = PT_LOAD, .p_vaddr = 0x10000, .p_filesz = sizeof library},
                     {.p_type = PT_DYNAMIC, .p_offset = at, .p_vaddr = at + 0x10000, .p_filesz = sizeof library.dynamics}},
        .dynamics = {{DT_NEEDED, {1}}, {DT_NEEDED, {32}}, {DT_STRTAB, {0x10000 + offsetof(struct library, strings)}}, {DT_NULL, {0}}},
    };
    snprintf(library.strings + 1, 31, "%s", first);
    snprintf(library.strings + 32, 32, "%s", second);
}

static enum libc judge(const void *bytes, size_t len)
{
    if (ftruncate(fd, 0) || pwrite(fd, bytes, len, 0) != (ssize_t)len)
        tap_note("cannot write the file");
    return libc_of(fd);
}

static enum libc of(const char *first, const char *second)
{
    make(first, second);
    return judge(&library, sizeof library);
}

int main(void)
{
    char name[] = "/tmp/candor-libc-XXXXXX";
    fd = mkostemp(name, O_CLOEXEC);
    unlink(name);
    int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    tap_ok(libc_of(self) == LIBC_GLIBC, "this program");
    close(self);
    tap_ok(of("libdl.so.2", "libc.so.6") == LIBC_GLIBC && of("libc.so.6", "libm.so.6") == LIBC_GLIBC, "glibc");
    tap_ok(of("libz.so.1", "libc.musl-x86_64.so.1") == LIBC_MUSL && of("libc.so", "libz.so.1") == LIBC_MUSL, "musl");
    tap_ok(of("libz.so.1", "libc++.so.1") == LIBC_UNKNOWN && of("libc.so.60", "xlibc.so") == LIBC_UNKNOWN, "neither");
    make("libz.so.1", "libc.so.6");
    int sure = 0;
    for (size_t len = 0; len < sizeof library; len++)
        sure += judge(&library, len) == LIBC_MUSL;
    tap_ok(judge(&library, offsetof(struct library, dynamics)) == LIBC_UNKNOWN && !sure, "files that end too early");
    srandom(1);
    for (int i = 0; i < 20000; i++) {
        struct library bad = library;
        for (int n = 0; n < 4; n++)
            ((char *)&bad)[(size_t)random() % offsetof(struct library, strings)] = (char)random();
        sure += judge(&bad, sizeof bad) == LIBC_MUSL;
    }
    tap_ok(!sure, "wrong bytes outside the names never make one library of the other");
    close(fd);
    return tap_done();
}
