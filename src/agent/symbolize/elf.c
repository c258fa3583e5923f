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

/* Whether a table of structs, which are read in place, is inside the image and aligned. */
static bool table_inside(size_t size, uint64_t offset, uint64_t length)
{
    return inside(size, offset, length) && offset % 8 == 0;
}

static bool is_elf(const void *image, size_t size)
{
    const Elf64_Ehdr *header = image;
    return size >= sizeof *header && !memcmp(header->e_ident, ELFMAG, SELFMAG) && header->e_ident[EI_CLASS] == ELFCLASS64;
}

/* Returns the table of sections; NULL if it is not in the image. */
static const Elf64_Shdr *sections_of(const char *image, size_t size)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)image;
    if (header->e_shentsize != sizeof(Elf64_Shdr) || !table_inside(size, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr)))
        return NULL;
    return (const Elf64_Shdr *)(image + header->e_shoff);
}

static const Elf64_Shdr *find_section(const char *image, size_t size, uint32_t type)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)image;
    const Elf64_Shdr *sections = sections_of(image, size);
    for (int i = 0; sections && i < header->e_shnum; i++)
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

enum { DIGIT_BITS = 9, DIGITS = 1 << DIGIT_BITS }; /* the counts of larger digits would take too much of the stack */

static unsigned digit_of(const struct elf_symbol *s, unsigned shift)
{
    return s->value >> shift & (DIGITS - 1);
}

/* Copies the symbols in the order of one digit. Symbols with the same digit keep their order. */
static void distribute(const struct elf_symbol *from, struct elf_symbol *to, size_t n, unsigned shift)
{
    size_t places[DIGITS + 1] = {0};
    for (size_t i = 0; i < n; i++)
        places[digit_of(&from[i], shift) + 1]++;
    for (size_t d = 0; d < DIGITS; d++)
        places[d + 1] += places[d];
    for (size_t i = 0; i < n; i++)
        to[places[digit_of(&from[i], shift)]++] = from[i];
}

/* Sorts by value, digit by digit from the lowest one. The JVM's library has 60,000 functions, which qsort takes several times as long to
 * sort, while the recording is about to begin. Takes an array from malloc over, and returns one. */
static struct elf_symbol *sort(struct elf_symbol *symbols, size_t n)
{
    uint64_t differs = 0; /* the bits in which values differ */
    struct elf_symbol *other = malloc((n ? n : 1) * sizeof *other);
    if (!other) {
        qsort(symbols, n, sizeof *symbols, by_value);
        return symbols;
    }
    for (size_t i = 1; i < n; i++)
        differs |= symbols[i].value ^ symbols[0].value;
    for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
        if (!(differs >> shift & (DIGITS - 1)))
            continue;
        distribute(symbols, other, n, shift);
        struct elf_symbol *sorted = other;
        other = symbols;
        symbols = sorted;
    }
    free(other);
    return symbols;
}

static int collect(struct elf_symbols *out, const Elf64_Sym *all, size_t n)
{
    out->table = all;
    out->table_count = n;
    out->symbols = malloc((n ? n : 1) * sizeof *out->symbols);
    if (!out->symbols)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++) {
        int type = ELF64_ST_TYPE(all[i].st_info);
        if ((type == STT_FUNC || type == STT_GNU_IFUNC) && all[i].st_value && all[i].st_name < out->strings_size)
            out->symbols[out->count++] = (struct elf_symbol){all[i].st_name, (uint32_t)all[i].st_size, all[i].st_value};
    }
    out->symbols = sort(out->symbols, out->count);
    struct elf_symbol *fitted = realloc(out->symbols, (out->count ? out->count : 1) * sizeof *out->symbols);
    if (fitted)
        out->symbols = fitted;
    return out->count ? 0 : -ENOENT;
}

int elf_open_image(struct elf_symbols *out, const void *image, size_t size)
{
    memset(out, 0, sizeof *out);
    if (!is_elf(image, size))
        return -ENOEXEC;
    const Elf64_Shdr *section = find_section(image, size, SHT_SYMTAB);
    out->only_dynamic = !section;
    if (!section)
        section = find_section(image, size, SHT_DYNSYM);
    if (!section)
        return -ENOENT;
    const Elf64_Shdr *strings = sections_of(image, size) + section->sh_link;
    if (!inside(size, strings->sh_offset, strings->sh_size) || !strings->sh_size)
        return -ENOEXEC;
    out->strings = (const char *)image + strings->sh_offset;
    out->strings_size = strings->sh_size;
    if (out->strings[out->strings_size - 1])
        return -ENOEXEC;
    return collect(out, (const Elf64_Sym *)((const char *)image + section->sh_offset), section->sh_size / sizeof(Elf64_Sym));
}

int elf_take_tables(struct elf_symbols *out, void *tables, size_t count, size_t strings_size)
{
    const char *strings = (const char *)tables + count * sizeof(Elf64_Sym);
    *out = (struct elf_symbols){.copy = tables, .strings = strings, .strings_size = strings_size, .only_dynamic = true};
    int rc = strings_size && !strings[strings_size - 1] ? collect(out, tables, count) : -ENOEXEC;
    if (rc)
        elf_close(out);
    return rc;
}

int elf_map(struct elf_file *out, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* O_NONBLOCK, because opening a pipe would otherwise wait for a writer */
    *out = (struct elf_file){0};
    if (fd < 0)
        return -ENOENT;
    void *bytes = MAP_FAILED;
    off_t size = lseek(fd, 0, SEEK_END);
    if (size > 0)
        bytes = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (bytes == MAP_FAILED)
        return -ENOENT;
    *out = (struct elf_file){bytes, (size_t)size};
    return 0;
}

void elf_unmap(struct elf_file *f)
{
    if (f->bytes)
        munmap(f->bytes, f->size);
    *f = (struct elf_file){0};
}

void elf_rest(const struct elf_symbols *s)
{
    if (s->file.bytes)
        madvise(s->file.bytes, s->file.size, MADV_DONTNEED);
}

int elf_take(struct elf_symbols *out, struct elf_file file)
{
    int rc = elf_open_image(out, file.bytes, file.size);
    out->file = file;
    if (rc)
        elf_close(out);
    return rc;
}

int elf_open(struct elf_symbols *out, const char *path)
{
    struct elf_file file;
    memset(out, 0, sizeof *out);
    int rc = elf_map(&file, path);
    return rc ? rc : elf_take(out, file);
}

void elf_close(struct elf_symbols *s)
{
    free(s->symbols);
    free(s->copy);
    elf_unmap(&s->file);
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
    /* Assembly functions often have size 0: they end where the next symbol begins. */
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

const char *elf_section(const struct elf_file *f, const char *name, size_t *size)
{
    const char *image = f->bytes;
    const Elf64_Ehdr *header = f->bytes;
    const Elf64_Shdr *sections = is_elf(image, f->size) ? sections_of(image, f->size) : NULL;
    size_t room = strlen(name) + 1;
    if (!sections || header->e_shstrndx >= header->e_shnum)
        return NULL;
    const Elf64_Shdr *names = &sections[header->e_shstrndx];
    if (names->sh_type == SHT_NOBITS || !inside(f->size, names->sh_offset, names->sh_size))
        return NULL;
    for (int i = 0; i < header->e_shnum; i++)
        if (inside(names->sh_size, sections[i].sh_name, room) && !memcmp(image + names->sh_offset + sections[i].sh_name, name, room) &&
            sections[i].sh_type != SHT_NOBITS && inside(f->size, sections[i].sh_offset, sections[i].sh_size)) {
            *size = sections[i].sh_size;
            return image + sections[i].sh_offset;
        }
    return NULL;
}

void elf_note_build_id(const char *notes, size_t size, struct elf_build_id *out)
{
    static const char owner[] = "GNU";
    Elf64_Nhdr note;
    out->length = 0;
    for (uint64_t at = 0; inside(size, at, sizeof note);) {
        memcpy(&note, notes + at, sizeof note);
        uint64_t name = at + sizeof note, bytes = name + (((uint64_t)note.n_namesz + 3) & ~3ull);
        if (!inside(size, bytes, note.n_descsz))
            return;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof owner && !memcmp(notes + name, owner, sizeof owner) &&
            note.n_descsz <= sizeof out->bytes) {
            memcpy(out->bytes, notes + bytes, note.n_descsz);
            out->length = note.n_descsz;
            return;
        }
        at = bytes + (((uint64_t)note.n_descsz + 3) & ~3ull);
    }
}

void elf_file_build_id(const struct elf_file *f, struct elf_build_id *out)
{
    size_t size;
    const char *notes = elf_section(f, ".note.gnu.build-id", &size);
    out->length = 0;
    if (notes)
        elf_note_build_id(notes, size, out);
}
