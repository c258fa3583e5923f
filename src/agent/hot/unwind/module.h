/* The loaded libraries, for lookups by a signal handler: the address range of their code, and the search table of their call frame
 * information (.eh_frame_hdr). The agent's thread is the only writer. There may be any number of readers, which are wait-free. */
#ifndef CANDOR_AGENT_HOT_UNWIND_MODULE_H
#define CANDOR_AGENT_HOT_UNWIND_MODULE_H

#include <stdbool.h>
#include <stdint.h>

enum { MODULES_MAX = 1024 };

struct module {
    uintptr_t low, high;    /* of its code */
    uintptr_t frame_header; /* .eh_frame_hdr in memory, to which the table's entries are relative; 0 = the library has none */
    uintptr_t frame_table;  /* pairs of 32-bit offsets: first pc, its description */
    uint32_t frame_count;
};

/* Finds the library that contains pc. Returns false if there is none, or if it is being replaced. */
bool module_find(uintptr_t pc, struct module *out);
/* Returns a number that changes whenever a library is added or removed: cached facts about an address may then be invalid. */
uint32_t module_epoch(void);

/* Adds a library. Only the writer calls it. Returns false if the table is full. */
bool module_add(const struct module *m);
/* Removes the libraries for which keep() returns false. */
void module_retain(bool (*keep)(const struct module *m, void *context), void *context);

#endif
