/* Counts the events of each type in a file, and their bytes. */
#ifndef CANDOR_EVENTS_SUMMARY_H
#define CANDOR_EVENTS_SUMMARY_H

#include "base/map.h"
#include "base/strtab.h"
#include "jfr/read/reader.h"

struct summary_type {
    uint32_t name; /* string id */
    uint64_t events, bytes;
};

struct summary {
    struct strtab names;
    struct summary_type *types; /* the types of all chunks, including those without events; the most frequent first */
    uint32_t type_count, type_cap;
    struct map by_name;
    uint64_t size, chunks, read_chunks, whole_chunks;
    uint64_t events, event_bytes; /* sums over all types */
    uint64_t metadata, metadata_bytes, checkpoints, checkpoint_bytes;
    uint16_t major, minor; /* the newest version among all chunks */
    int64_t start_ns;      /* since the epoch */
    uint64_t duration_ns;  /* from the first chunk's start to the last chunk's end */
};

/* Reads a file. Returns 0 or a negative code with e. Call summary_deinit in any case. */
int summary_read(struct summary *s, const struct jfr_file *file, struct jfr_problems *problems, struct error *e);
void summary_deinit(struct summary *s);

#endif
