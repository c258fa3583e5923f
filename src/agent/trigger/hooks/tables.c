#include "agent/trigger/hooks/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { OF_CALL = R_X86_64_JUMP_SLOT, OF_ADDRESS = R_X86_64_GLOB_DAT, OF_DATA = R_X86_64_64 };
#elif defined(__aarch64__)
enum { OF_CALL = R_AARCH64_JUMP_SLOT, OF_ADDRESS = R_AARCH64_GLOB_DAT, OF_DATA = R_AARCH64_ABS64 };
#endif

struct mapping {
    uintptr_t low, high;
    int access;
};

/* ---- libraries ---- */

static void note_segment(struct library *l, const ElfW(Phdr) * segment)
{
    uintptr_t at = l->base + segment->p_vaddr;
    if (segment->p_type == PT_DYNAMIC)
        l->dynamic = (const ElfW(Dyn) *)at;
    if (segment->p_type != PT_LOAD)
        return;
    if (!l->low || at < l->low)
        l->low = at;
    if (at + segment->p_memsz > l->high)
        l->high = at + segment->p_memsz;
}

void tables_library(struct library *out, const struct dl_phdr_info *info)
{
    *out = (struct library){.base = info->dlpi_addr};
    for (int i = 0; i < info->dlpi_phnum; i++)
        note_segment(out, &info->dlpi_phdr[i]);
}

struct wanted {
    uintptr_t address;
    struct library *out;
};

static int look_at(struct dl_phdr_info *info, size_t size, void *argument)
{
    const struct wanted *w = argument;
    struct library seen;
    tables_library(&seen, info);
    if (w->address < seen.low || w->address >= seen.high)
        return 0;
    *w->out = seen;
    return 1;
}

bool tables_library_at(struct library *out, uintptr_t address)
{
    struct wanted w = {address, out};
    *out = (struct library){0};
    return dl_iterate_phdr(look_at, &w) && out->dynamic;
}

/* Returns the pointer. glibc has relocated these pointers, musl has not. */
static uintptr_t pointer_of(const struct library *l, ElfW(Addr) value)
{
    return value >= l->low && value < l->high ? value : l->base + value;
}

bool tables_read(const struct library *l, struct tables *t)
{
    memset(t, 0, sizeof *t);
    for (const ElfW(Dyn) *d = l->dynamic; d && d->d_tag != DT_NULL; d++) {
        uintptr_t at = pointer_of(l, d->d_un.d_ptr);
        switch (d->d_tag) {
        case DT_SYMTAB:
            t->symbols = (const ElfW(Sym) *)at;
            break;
        case DT_STRTAB:
            t->strings = (const char *)at;
            break;
        case DT_GNU_HASH:
            t->hash = (const uint32_t *)at;
            break;
        case DT_JMPREL:
            t->calls = (const ElfW(Rela) *)at;
            break;
        case DT_PLTRELSZ:
            t->calls_bytes = d->d_un.d_val;
            break;
        case DT_RELA:
            t->others = (const ElfW(Rela) *)at;
            break;
        case DT_RELASZ:
            t->others_bytes = d->d_un.d_val;
            break;
        case DT_RELACOUNT:
            t->relative = d->d_un.d_val;
            break;
        default:
            break;
        }
    }
    return t->symbols && t->strings;
}

bool tables_is_call(const ElfW(Rela) * r)
{
    unsigned type = ELF64_R_TYPE(r->r_info);
    return (type == OF_CALL || type == OF_ADDRESS) && !r->r_addend;
}

bool tables_is_word(const ElfW(Rela) * r)
{
    return tables_is_call(r) || (ELF64_R_TYPE(r->r_info) == OF_DATA && !r->r_addend);
}

/* ---- words ---- */

static int access_of(const char *letters)
{
    return (letters[0] == 'r' ? PROT_READ : 0) | (letters[1] == 'w' ? PROT_WRITE : 0) | (letters[2] == 'x' ? PROT_EXEC : 0);
}

static bool add_mapping(struct mappings *m, size_t *room, const char *line)
{
    struct mapping one;
    char letters[5];
    if (sscanf(line, "%lx-%lx %4s", &one.low, &one.high, letters) != 3)
        return true;
    if (m->count == *room) {
        size_t more = *room ? 2 * *room : 256;
        struct mapping *all = realloc(m->all, more * sizeof *all);
        if (!all)
            return false;
        m->all = all;
        *room = more;
    }
    one.access = access_of(letters);
    m->all[m->count++] = one;
    return true;
}

void mappings_read(struct mappings *out)
{
    char *line = NULL;
    size_t size = 0, room = 0;
    FILE *f = fopen("/proc/self/maps", "re");
    *out = (struct mappings){0};
    while (f && getline(&line, &size, f) > 0 && add_mapping(out, &room, line))
        continue;
    free(line);
    if (f)
        fclose(f);
}

void mappings_free(struct mappings *m)
{
    free(m->all);
    *m = (struct mappings){0};
}

static int access_at(const struct mappings *m, uintptr_t address)
{
    for (size_t low = 0, high = m->count; low < high;) {
        size_t middle = low + (high - low) / 2;
        const struct mapping *one = &m->all[middle];
        if (address < one->low)
            high = middle;
        else if (address >= one->high)
            low = middle + 1;
        else
            return one->access;
    }
    return 0;
}

bool tables_write(const struct mappings *m, _Atomic uintptr_t *at, uintptr_t value)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)at & -page;
    int before = access_at(m, from);
    bool writable = before & PROT_WRITE;
    if (!before || (!writable && mprotect((void *)from, page, before | PROT_WRITE)))
        return false;
    /* Release: pairs with the call by a thread that finds the function there, so that this thread sees the data that the function uses. */
    atomic_store_explicit(at, value, memory_order_release);
    if (!writable)
        mprotect((void *)from, page, before);
    return true;
}
