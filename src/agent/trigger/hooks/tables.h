/* Reads the loader's tables in memory: which functions of other libraries a library calls, and through which words. It also writes these
 * words; the word's page is made writable only for the write.
 *
 * If a library's file is truncated while it is loaded, reading its tables faults. Handlers must not call these functions. */
#ifndef CANDOR_AGENT_TRIGGER_HOOKS_TABLES_H
#define CANDOR_AGENT_TRIGGER_HOOKS_TABLES_H

#include <elf.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A library, as the loader left it. */
struct library {
    uintptr_t base;
    uintptr_t low, high;
    const ElfW(Dyn) * dynamic; /* NULL: it has none */
};

struct tables {
    const ElfW(Sym) * symbols;
    const char *strings;
    const uint32_t *hash; /* DT_GNU_HASH */
    const ElfW(Rela) * calls, *others;
    size_t calls_bytes, others_bytes;
    size_t relative; /* number of entries at the beginning of others that name no symbol */
};

/* A snapshot of the process's mappings, from the kernel. */
struct mappings {
    struct mapping *all;
    size_t count;
};

void tables_library(struct library *out, const struct dl_phdr_info *info);
/* Finds the library that contains the address. Returns false if there is none, or if it has no tables. */
bool tables_library_at(struct library *out, uintptr_t address);
/* Reads the library's tables. Returns false if it has no symbols. */
bool tables_read(const struct library *l, struct tables *out);
/* Return whether a relocation fills a word through which the library calls a function, and whether it fills any word with a function's
 * address, including in data. */
bool tables_is_call(const ElfW(Rela) * r);
bool tables_is_word(const ElfW(Rela) * r);

/* Reads the mappings. On an error the result is empty. Call mappings_free at the end. */
void mappings_read(struct mappings *out);
void mappings_free(struct mappings *m);

/* Writes a word. Afterwards the page has the protection that it had before the write. That may not be the one that the loader gave it,
 * because other code may have made it writable for good. Returns false if the word cannot be written, or is not in the mappings. */
bool tables_write(const struct mappings *m, _Atomic uintptr_t *at, uintptr_t value);

#endif
