#include "agent/symbolize/elf.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static bool inside(size_t size, uint64_t offset, uint64_t length)
{
    return offset <= size && length <= size - offset;
}

/* A table of structs, which are read in place. */
static bool table_inside(size_t size, uint64_t offset, uint64_t length)
{
    return inside(size, offset, length) && offset % 8 == 0;
}

static const Elf64_Shdr *find_section(const char *image, size_t size, const Elf64_Ehdr *header, uint32_t type)
{
    if (header->e_shentsize != sizeof(Elf64_Shdr) ||
        !table_inside(size, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr)))
        return NULL;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(image + header->e_shoff);
    for (int i = 0; i < header->e_shnum; i++)
        if (sections[i].sh_type == type && table_inside(size, sections[i].sh_offset, sections[i].sh_size) &&
            sections[i].sh_link < header->e_shnum)
            return &sections[i];
    return NULL;
}

static int by_value(const void *a, const void *b)
{
    const struct elf_symbol *x = a, *y = b;
    return x->value < y->value ? -1 : x->value > y->value;
}

static int collect(struct elf_symbols *out, const char *image, const Elf64_Shdr *section)
{
    const Elf64_Sym *all = (const Elf64_Sym *)(image + section->sh_offset);
    size_t n = section->sh_size / sizeof *all;
    out->table = all;
    out->table_count = n;
    out->symbols = malloc((n ? n : 1) * sizeof *out->symbols);
    if (!out->symbols)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++) {
        int type = ELF64_ST_TYPE(all[i].st_info);
        if ((type == STT_FUNC || type == STT_GNU_IFUNC) && all[i].st_value && all[i].st_name < out->strings_size)
            out->symbols[out->count++] =
                (struct elf_symbol){all[i].st_name, (uint32_t)all[i].st_size, all[i].st_value};
    }
    qsort(out->symbols, out->count, sizeof *out->symbols, by_value);
    struct elf_symbol *fitted = realloc(out->symbols, (out->count ? out->count : 1) * sizeof *out->symbols);
    if (fitted)
        out->symbols = fitted;
    return out->count ? 0 : -ENOENT;
}

int elf_open_image(struct elf_symbols *out, const void *image, size_t size)
{
    const Elf64_Ehdr *header = image;
    memset(out, 0, sizeof *out);
    if (size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) || header->e_ident[EI_CLASS] != ELFCLASS64)
        return -ENOEXEC;
    const Elf64_Shdr *section = find_section(image, size, header, SHT_SYMTAB);
    if (!section)
        section = find_section(image, size, header, SHT_DYNSYM);
    if (!section)
        return -ENOENT;
    const Elf64_Shdr *strings = (const Elf64_Shdr *)((const char *)image + header->e_shoff) + section->sh_link;
    if (!inside(size, strings->sh_offset, strings->sh_size) || !strings->sh_size)
        return -ENOEXEC;
    out->strings = (const char *)image + strings->sh_offset;
    out->strings_size = strings->sh_size;
    if (out->strings[out->strings_size - 1])
        return -ENOEXEC;
    return collect(out, image, section);
}

int elf_open(struct elf_symbols *out, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    memset(out, 0, sizeof *out);
    if (fd < 0)
        return -ENOENT;
    void *file = MAP_FAILED;
    off_t size = lseek(fd, 0, SEEK_END);
    if (size > 0)
        file = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (file == MAP_FAILED)
        return -ENOENT;
    int rc = elf_open_image(out, file, (size_t)size);
    out->file = file;
    out->file_size = (size_t)size;
    if (rc)
        elf_close(out);
    return rc;
}

void elf_close(struct elf_symbols *s)
{
    free(s->symbols);
    if (s->file)
        munmap(s->file, s->file_size);
    memset(s, 0, sizeof *s);
}

const char *elf_find(const struct elf_symbols *s, uint64_t value)
{
    size_t low = 0, high = s->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (s->symbols[middle].value <= value)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return NULL;
    const struct elf_symbol *found = &s->symbols[low - 1];
    /* Assembly functions often have size 0: they reach to the next symbol. */
    return !found->size || value < found->value + found->size ? s->strings + found->name : NULL;
}

static bool is_data(const struct elf_symbols *s, const Elf64_Sym *symbol)
{
    return ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT && symbol->st_value && symbol->st_name < s->strings_size;
}

const char *elf_data_at(const struct elf_symbols *s, uint64_t value)
{
    const Elf64_Sym *all = s->table;
    for (size_t i = 0; i < s->table_count; i++)
        if (all[i].st_value == value && is_data(s, &all[i]))
            return s->strings + all[i].st_name;
    return NULL;
}

uint64_t elf_data(const struct elf_symbols *s, const char *name)
{
    const Elf64_Sym *all = s->table;
    for (size_t i = 0; i < s->table_count; i++)
        if (is_data(s, &all[i]) && !strcmp(s->strings + all[i].st_name, name))
            return all[i].st_value;
    return 0;
}
