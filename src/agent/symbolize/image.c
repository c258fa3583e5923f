#include "agent/symbolize/image.h"

#include "agent/hot/load.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD_MAX = 64 << 10, NOTES_MAX = 4 << 10, DYNAMIC_MAX = 512, SYMBOLS_MAX = 1 << 20, STRINGS_MAX = 64 << 20 };

void image_describe(struct image *out, const struct dl_phdr_info *info)
{
    int notes = 0;
    *out = (struct image){.base = info->dlpi_addr};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        struct image_part part = {info->dlpi_addr + p->p_vaddr, p->p_filesz};
        if (p->p_type == PT_LOAD && !p->p_offset && !(p->p_flags & PF_W))
            out->head = part;
        else if (p->p_type == PT_DYNAMIC)
            out->dynamic = part;
        else if (p->p_type == PT_NOTE && notes < IMAGE_NOTES)
            out->notes[notes++] = part;
    }
}

/* Copies memory that may not exist. Returns false if it cannot be read. */
static bool copy(void *to, uintptr_t from, size_t size)
{
    char *out = to;
    uint64_t word;
    size_t n = 0;
    for (; size - n >= sizeof word; n += sizeof word) {
        if (!load_u64(from + n, &word))
            return false;
        memcpy(out + n, &word, sizeof word);
    }
    for (uint8_t byte; n < size; n++) {
        if (!load_u8(from + n, &byte))
            return false;
        out[n] = (char)byte;
    }
    return true;
}

bool image_is_of(const struct image *i, const struct elf_file *f)
{
    char part[1 << 10];
    size_t size = i->head.size < HEAD_MAX ? i->head.size : HEAD_MAX;
    if (!size || f->size < size)
        return false;
    for (size_t at = 0; at < size; at += sizeof part) {
        size_t n = size - at < sizeof part ? size - at : sizeof part;
        if (!copy(part, i->head.at + at, n) || memcmp(part, (const char *)f->bytes + at, n) != 0)
            return false;
    }
    return true;
}

void image_build_id(const struct image *i, struct elf_build_id *out)
{
    _Alignas(8) char notes[NOTES_MAX];
    out->length = 0;
    for (int k = 0; k < IMAGE_NOTES && !out->length; k++)
        if (i->notes[k].size <= sizeof notes && copy(notes, i->notes[k].at, i->notes[k].size))
            elf_note_build_id(notes, i->notes[k].size, out);
}

/* The addresses of the symbol tables, from the dynamic section; 0 = none. */
struct tables {
    uintptr_t symbols, strings, hash, gnu_hash;
    size_t strings_size;
};

/* Returns an address in memory. glibc relocates the values of the dynamic section; musl, and the kernel in the vdso, leave them as they are
 * in the file. */
static uintptr_t address(const struct image *i, uint64_t value)
{
    return value < i->base ? i->base + value : value;
}

static void read_dynamic(const struct image *i, struct tables *t)
{
    size_t count = i->dynamic.size / sizeof(Elf64_Dyn);
    *t = (struct tables){0};
    for (size_t k = 0; k < count && k < DYNAMIC_MAX; k++) {
        Elf64_Dyn d;
        if (!copy(&d, i->dynamic.at + k * sizeof d, sizeof d) || d.d_tag == DT_NULL)
            return;
        if (d.d_tag == DT_SYMTAB)
            t->symbols = address(i, d.d_un.d_ptr);
        else if (d.d_tag == DT_STRTAB)
            t->strings = address(i, d.d_un.d_ptr);
        else if (d.d_tag == DT_STRSZ)
            t->strings_size = d.d_un.d_val;
        else if (d.d_tag == DT_HASH)
            t->hash = address(i, d.d_un.d_ptr);
        else if (d.d_tag == DT_GNU_HASH)
            t->gnu_hash = address(i, d.d_un.d_ptr);
    }
}

/* Counts symbols by DT_GNU_HASH. The table consists of: the number of buckets, the first symbol in it, the filter's words, its shift; the
 * filter; the buckets; the chains. The last symbol is at the end of the chain that begins last. The lowest bit marks the end of a chain. */
static size_t count_by_gnu_hash(uintptr_t at)
{
    uint32_t buckets, first, filter, last = 0, bucket, link = 0;
    if (!load_u32(at, &buckets) || !load_u32(at + 4, &first) || !load_u32(at + 8, &filter) || buckets > SYMBOLS_MAX || filter > SYMBOLS_MAX)
        return 0;
    at += 16 + 8 * (uintptr_t)filter;
    for (uint32_t k = 0; k < buckets; k++) {
        if (!load_u32(at + 4 * (uintptr_t)k, &bucket))
            return 0;
        last = bucket > last ? bucket : last;
    }
    if (last < first || last > SYMBOLS_MAX)
        return 0;
    at += 4 * (uintptr_t)buckets;
    for (; !(link & 1); last++)
        if (last > SYMBOLS_MAX || !load_u32(at + 4 * (uintptr_t)(last - first), &link))
            return 0;
    return last;
}

static size_t count_symbols(const struct tables *t)
{
    uint32_t count;
    if (t->gnu_hash)
        return count_by_gnu_hash(t->gnu_hash);
    return t->hash && load_u32(t->hash + 4, &count) && count <= SYMBOLS_MAX ? count : 0;
}

int image_symbols(const struct image *i, struct elf_symbols *out)
{
    struct tables t;
    read_dynamic(i, &t);
    size_t count = count_symbols(&t), bytes = count * sizeof(Elf64_Sym);
    *out = (struct elf_symbols){0};
    if (!count || !t.symbols || !t.strings || !t.strings_size)
        return -ENOENT;
    if (t.strings_size > STRINGS_MAX)
        return -ENOEXEC;
    char *tables = malloc(bytes + t.strings_size);
    if (!tables)
        return -ENOMEM;
    if (!copy(tables, t.symbols, bytes) || !copy(tables + bytes, t.strings, t.strings_size)) {
        free(tables);
        return -ENOEXEC;
    }
    return elf_take_tables(out, tables, count, t.strings_size);
}
