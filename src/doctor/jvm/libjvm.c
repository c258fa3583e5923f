/* Reads the file instead of mapping it, because a file that is cut short while it is mapped would kill this process. */
#include "doctor/jvm/libjvm.h"

#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PART_MAX = 64 << 20 };

/* Reads a part of the file and appends a zero. The caller frees it. NULL if the part is not complete. */
static void *read_part(int fd, uint64_t offset, uint64_t size)
{
    char *part = size && size <= PART_MAX && offset <= INT64_MAX ? malloc(size + 1) : NULL;
    uint64_t done = 0;
    while (part && done < size) {
        ssize_t n = pread(fd, part + done, size - done, (off_t)(offset + done));
        if (n <= 0) {
            free(part);
            return NULL;
        }
        done += (uint64_t)n;
    }
    if (part)
        part[size] = 0;
    return part;
}

/* Whether the library exports the JVM's tables. Only names are compared, because libjvm imports no symbol of this name. */
static bool has_tables(int fd, const Elf64_Shdr *strings)
{
    static const char name[] = "\0gHotSpotVMStructs";
    char *names = read_part(fd, strings->sh_offset, strings->sh_size);
    bool found = names && memmem(names, strings->sh_size, name, sizeof name);
    free(names);
    return found;
}

static void look_at(int fd, const Elf64_Shdr *sections, int count, int i, const char *name, struct libjvm *out)
{
    if (sections[i].sh_type == SHT_SYMTAB)
        out->symbols = true;
    else if (sections[i].sh_type == SHT_DYNSYM && sections[i].sh_link < (uint32_t)count)
        out->tables = has_tables(fd, &sections[sections[i].sh_link]);
    else if (!strcmp(name, ".gnu_debuglink"))
        out->debug_link = true;
}

int libjvm_read(int fd, struct libjvm *out)
{
    Elf64_Ehdr head;
    *out = (struct libjvm){0};
    if (pread(fd, &head, sizeof head, 0) != sizeof head || memcmp(head.e_ident, ELFMAG, SELFMAG) || head.e_ident[EI_CLASS] != ELFCLASS64 ||
        head.e_shentsize != sizeof(Elf64_Shdr) || head.e_shstrndx >= head.e_shnum)
        return -ENOEXEC;
    Elf64_Shdr *sections = read_part(fd, head.e_shoff, (uint64_t)head.e_shnum * sizeof *sections);
    if (!sections)
        return -ENOEXEC;
    const Elf64_Shdr *strings = &sections[head.e_shstrndx];
    char *names = read_part(fd, strings->sh_offset, strings->sh_size);
    for (int i = 0; names && i < head.e_shnum; i++)
        if (sections[i].sh_name < strings->sh_size)
            look_at(fd, sections, head.e_shnum, i, names + sections[i].sh_name, out);
    int code = names ? 0 : -ENOEXEC;
    free(names);
    free(sections);
    return code;
}
