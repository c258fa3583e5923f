/* The loaded libraries, for lookups by a signal handler: the address range of their code, and the search table of their call
 * frame information (.eh_frame_hdr). One writer, the agent's thread; any number of readers, wait-free. */
#ifndef CANDOR_AGENT_HOT_UNWIND_MODULE_H
#define CANDOR_AGENT_HOT_UNWIND_MODULE_H

#include <stdbool.h>
#include <stdint.h>

enum { MODULES_MAX = 1024 };

struct module {
    uintptr_t low, high;    /* of its code */
    uintptr_t frame_header; /* .eh_frame_hdr in memory, what the table's entries count from; 0 = the library has none */
    uintptr_t frame_table;  /* pairs of 32-bit offsets: first pc, its description */
    uint32_t frame_count;
};

/* The library that holds pc. False when there is none, or it is just being replaced. */
bool module_find(uintptr_t pc, struct module *out);
/* Changes whenever a library is added or removed: cached facts about an address may then be invalid. */
uint32_t module_epoch(void);

/* Writer only. false: the table is full. */
bool module_add(const struct module *m);
/* Removes what keep() does not want to keep. */
void module_retain(bool (*keep)(const struct module *m, void *context), void *context);

#endif
