/* The function symbols of one ELF file, sorted by address. */
#ifndef CANDOR_AGENT_SYMBOLIZE_ELF_H
#define CANDOR_AGENT_SYMBOLIZE_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_symbol {
    uint32_t name; /* offset in the string table */
    uint32_t size;
    uint64_t value;
};

/* A mapped file. */
struct elf_file {
    void *bytes;
    size_t size;
};

enum { ELF_BUILD_ID_MAX = 64 };

/* The linker's identification of a program or library, which its debug file has, too; length 0 = it has none. */
struct elf_build_id {
    uint8_t bytes[ELF_BUILD_ID_MAX];
    size_t length;
};

struct elf_symbols {
    struct elf_file file; /* empty if the image belongs to the caller */
    void *copy;           /* the memory of the tables below if they are not in a file that stays mapped, otherwise NULL */
    const char *strings;
    size_t strings_size;
    struct elf_symbol *symbols; /* the functions */
    size_t count;
    const void *table; /* all symbols, as they are in the file */
    size_t table_count;
    bool only_dynamic; /* only symbols that other libraries can see, because .symtab is missing */
};

/* Maps a file. Returns 0, or -ENOENT if the file is gone or empty. */
int elf_map(struct elf_file *out, const char *path);
void elf_unmap(struct elf_file *f);

/* Reads .symtab, or otherwise .dynsym, of a file. It takes the file over, even if it fails. Returns 0, -ENOENT if the file has no symbols,
 * or -ENOEXEC if it is not an ELF file of this machine or is damaged. */
int elf_take(struct elf_symbols *out, struct elf_file file);
/* Does the same for a path. It also returns -ENOENT if the file is gone. */
int elf_open(struct elf_symbols *out, const char *path);
/* Does the same for an image in memory, which must stay there. */
int elf_open_image(struct elf_symbols *out, const void *image, size_t size);
/* Does the same for tables in memory from malloc, which it takes over: `count` symbols followed by the strings. */
int elf_take_tables(struct elf_symbols *out, void *tables, size_t count, size_t strings_size);
void elf_close(struct elf_symbols *s);
/* Takes the pages of the mapped file out of the process's memory. They come back when something in them is read. */
void elf_rest(const struct elf_symbols *s);
/* Returns the name of the function at a file-relative address, or NULL. */
const char *elf_find(const struct elf_symbols *s, uint64_t value);
/* Return the name of the data that begin at a file-relative address, or NULL, and the address of the data with that name, or 0. Both read
 * all symbols. */
const char *elf_data_at(const struct elf_symbols *s, uint64_t value);
uint64_t elf_data(const struct elf_symbols *s, const char *name);

/* Returns the bytes of the section with this name, or NULL. */
const char *elf_section(const struct elf_file *f, const char *name, size_t *size);
/* Reads the build id in notes, whose bytes must begin at a multiple of four. */
void elf_note_build_id(const char *notes, size_t size, struct elf_build_id *out);
/* Reads the build id of a file. */
void elf_file_build_id(const struct elf_file *f, struct elf_build_id *out);

#endif
