/* The loader's tables in memory: which functions of others a library calls, through which words, and the words themselves. To
 * write a word, its page is made writable for that moment.
 *
 * If a library's file is truncated while it is loaded, reading its tables faults. Not for handlers. */
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
    size_t relative; /* of others, the first ones, that name no symbol */
};

/* The process's mappings according to the kernel, at one time. */
struct mappings {
    struct mapping *all;
    size_t count;
};

void tables_library(struct library *out, const struct dl_phdr_info *info);
/* Finds the library that contains the address; false if there is none, or it has no tables. */
bool tables_library_at(struct library *out, uintptr_t address);
/* Reads the library's tables. False: it has no symbols. */
bool tables_read(const struct library *l, struct tables *out);
/* Whether a relocation fills a word through which the library calls a function; and whether it fills any word with a function's
 * address, including in data. */
bool tables_is_call(const ElfW(Rela) * r);
bool tables_is_word(const ElfW(Rela) * r);

/* mappings_free at the end; what cannot be read is empty. */
void mappings_read(struct mappings *out);
void mappings_free(struct mappings *m);

/* Writes a word. Afterwards the page has the protection that it had before the write, which may not be the one that the loader gave
 * it: other code may have made it writable for good. False: it may not be written, or is not among the mappings. */
bool tables_write(const struct mappings *m, _Atomic uintptr_t *at, uintptr_t value);

#endif
