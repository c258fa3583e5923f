/* The function symbols of one ELF file, sorted by address. */
#ifndef CANDOR_AGENT_SYMBOLIZE_ELF_H
#define CANDOR_AGENT_SYMBOLIZE_ELF_H

#include <stddef.h>
#include <stdint.h>

struct elf_symbol {
    uint32_t name; /* offset in the string table */
    uint32_t size;
    uint64_t value;
};

struct elf_symbols {
    void *file; /* the mapped file, NULL when the image belongs to the caller */
    size_t file_size;
    const char *strings;
    size_t strings_size;
    struct elf_symbol *symbols; /* the functions */
    size_t count;
    const void *table; /* all symbols, as they stand in the file */
    size_t table_count;
};

/* Reads .symtab, or .dynsym where there is none. 0, -ENOENT when the file is gone or has no symbols, -ENOEXEC when it is
 * no ELF file of this machine or is damaged. */
int elf_open(struct elf_symbols *out, const char *path);
/* The same for an image in memory that stays (the vdso). */
int elf_open_image(struct elf_symbols *out, const void *image, size_t size);
void elf_close(struct elf_symbols *s);
/* The name of the function at a file-relative address, or NULL. */
const char *elf_find(const struct elf_symbols *s, uint64_t value);
/* The name of the data that begin at a file-relative address, or NULL; the address of the data with that name, or 0. These look
 * at each symbol. */
const char *elf_data_at(const struct elf_symbols *s, uint64_t value);
uint64_t elf_data(const struct elf_symbols *s, const char *name);

#endif
