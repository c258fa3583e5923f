/* Reads the machine code in a recording: the snapshots, and for each sample its address and the snapshot that contains it.
 *
 *   asm_recording_init -> asm_recording_load -> read the arrays -> asm_recording_deinit
 *
 * A sample is assigned to a snapshot by the number of its compilation and by its address, never by its address alone. Therefore it is
 * never attributed to code that was at the same place earlier. Whatever the file contains, a sample's address is within its snapshot.
 * Time and memory are bounded by a small multiple of the file's size. */
#ifndef CANDOR_ASM_CODE_H
#define CANDOR_ASM_CODE_H

#include "base/error.h"
#include "base/map.h"
#include "base/strtab.h"
#include "jfr/read/reader.h"

#include <stdbool.h>
#include <stdint.h>

enum { ASM_SNAPSHOT_BYTES_MAX = 4 << 20 }; /* larger snapshots are skipped; the agent never writes such large ones */

struct asm_frame {
    uint32_t method;   /* string id: a.b.C.m */
    int32_t line, bci; /* line 0 or less = unknown */
};

struct asm_place { /* a range of code, from the end of the place before to `end`, an offset */
    uint32_t end;
    uint32_t stack;
};

struct asm_stack { /* frames, leaf first */
    uint32_t first, count;
};

struct asm_snapshot {
    uint64_t ticks; /* time at which it was first seen: CLOCK_MONOTONIC, ns */
    uint64_t address, entry;
    uint8_t *bytes;
    uint32_t size;
    uint32_t compilation, level; /* compilation 0 = none */
    int32_t entry_bci;           /* -1 = the method's beginning */
    uint32_t kind, name;         /* string ids: C2, C1, native wrapper, stub, interpreter; a.b.C.m, or the stub's name */
    uint32_t version;            /* version of the method's code, from 1 in the order of the compilations */
    uint32_t next;               /* next snapshot with the same key, index + 1 */
    struct asm_place *places;
    uint32_t place_count, place_cap;
};

struct asm_sample {
    int64_t time_ns;
    uint64_t pc, weight;
    uint32_t snapshot;     /* index + 1; 0 = none */
    uint32_t source, name; /* string ids, if there is no snapshot */
    bool in_kernel;        /* the address is that of the entry to the kernel */
};

struct asm_name { /* generated code by name, with or without samples */
    uint64_t address;
    uint32_t size, name;
};

struct asm_recording {
    struct strtab strings;
    struct asm_snapshot *snapshots;
    uint32_t snapshot_count, snapshot_cap;
    struct asm_sample *samples; /* in the file's order */
    uint32_t sample_count, sample_cap;
    struct asm_name *names; /* sorted by address after loading */
    uint32_t name_count, name_cap;
    struct asm_stack *stacks; /* 0 = none */
    uint32_t stack_count, stack_cap;
    struct asm_frame *frames;
    uint32_t frame_count, frame_cap;
    uint32_t processor;        /* string id: x86_64, aarch64; empty = the recording has no snapshots */
    uint64_t weight;           /* weight of all samples */
    struct map by_key;         /* snapshots by compilation and address: index + 1 of the last one */
    struct map by_compilation; /* snapshots by compilation alone: index + 1 of the last one */
    struct jfr_problems problems;
};

int asm_recording_init(struct asm_recording *r); /* returns 0 or -ENOMEM */
void asm_recording_deinit(struct asm_recording *r);
/* Reads a file. Returns 0 or a negative code with e; -ENOENT if the recording was made without --asm. */
int asm_recording_load(struct asm_recording *r, const char *path, struct error *e);
struct intake;
/* Does the same for an input that is already open, which it borrows for the call. name is for messages. */
int asm_recording_load_from(struct asm_recording *r, const struct intake *in, const char *name, struct error *e);

static inline const char *asm_string(const struct asm_recording *r, uint32_t string)
{
    return strtab_text(&r->strings, string);
}

/* Returns the stack at this offset: the frames of the instruction there. 0 = unknown. */
uint32_t asm_stack_at(const struct asm_snapshot *s, uint32_t offset);
/* Returns the name of the code at the address: that of a stub, or of a snapshot's method; NULL = unknown. *offset: the distance from its
 * beginning. */
const char *asm_name_at(const struct asm_recording *r, uint64_t address, uint64_t *offset);
/* Writes the source of a snapshot: "C2, level 4", "interpreter". Returns out. */
char *asm_source(const struct asm_recording *r, const struct asm_snapshot *s, char *out, size_t size);
/* Writes the title of a snapshot: "a.b.C.m, version 2, compile id 312 (OSR at bci 5)". Returns out. */
char *asm_title(const struct asm_recording *r, const struct asm_snapshot *s, char *out, size_t size);

#endif
