#include "agent/hotspot/native_methods.h"

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct search {
    uintptr_t in_library;
    const char *name, *signature;
    void *found;
};

struct row { /* JNINativeMethod, which this folder does not know */
    uintptr_t name, signature, function;
};

/* Whether `size` bytes at p are in a segment of the library that has these flags, and lacks the others of PF_W and PF_X. */
static bool is_within(const struct dl_phdr_info *library, uintptr_t p, size_t size, unsigned flags)
{
    for (size_t i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &library->dlpi_phdr[i];
        uintptr_t low = library->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && (segment->p_flags & (PF_W | PF_X)) == flags && p >= low && p - low < segment->p_filesz)
            return size <= segment->p_filesz - (p - low);
    }
    return false;
}

/* The linker may put texts into a segment of their own, or with the code. */
static bool is_text(const struct dl_phdr_info *library, uintptr_t p, const char *text)
{
    size_t size = strlen(text) + 1;
    return (is_within(library, p, size, 0) || is_within(library, p, size, PF_X)) && !memcmp((const void *)p, text, size);
}

static void search_segment(struct search *s, const struct dl_phdr_info *library, const ElfW(Phdr) * segment)
{
    const uintptr_t *words = (const uintptr_t *)(library->dlpi_addr + segment->p_vaddr);
    for (size_t i = 0; i + 3 <= segment->p_filesz / sizeof *words && !s->found; i++) {
        struct row row = {words[i], words[i + 1], words[i + 2]};
        if (is_text(library, row.name, s->name) && is_text(library, row.signature, s->signature) &&
            is_within(library, row.function, 1, PF_X))
            s->found = (void *)row.function;
    }
}

static int search_library(struct dl_phdr_info *library, size_t size, void *data)
{
    struct search *s = data;
    if (!is_within(library, s->in_library, 1, PF_X))
        return 0;
    for (size_t i = 0; i < library->dlpi_phnum; i++)
        if (library->dlpi_phdr[i].p_type == PT_LOAD && library->dlpi_phdr[i].p_flags & PF_W)
            search_segment(s, library, &library->dlpi_phdr[i]);
    return 1;
}

void *native_methods_find(uintptr_t in_library, const char *name, const char *signature)
{
    struct search s = {.in_library = in_library, .name = name, .signature = signature};
    dl_iterate_phdr(search_library, &s);
    return s.found;
}
