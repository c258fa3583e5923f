/* Exports the code of a recording for `perf`: names by address, or the code itself.
 *
 * perfmap: a line "START SIZE NAME" (hexadecimal) for each piece of code, as in /tmp/perf-PID.map. If several pieces of code had the
 * same place, the one that was seen last has it. jitdump: the format that `perf inject --jit` reads as jit-PID.dump (Linux:
 * tools/perf/Documentation/jitdump-specification.txt). It has the bytes and the lines of each version of the code, with the time at
 * which the version was first seen, CLOCK_MONOTONIC (`perf record -k 1`). */
#ifndef CANDOR_ASM_EXPORT_H
#define CANDOR_ASM_EXPORT_H

#include "asm/code.h"

#include <stdint.h>
#include <stdio.h>

/* Both functions return 0 or -ENOMEM. Write errors are kept in the stream. */
int asm_export_perfmap(FILE *out, const struct asm_recording *r);
int asm_export_jitdump(FILE *out, const struct asm_recording *r, uint32_t pid);

#endif
