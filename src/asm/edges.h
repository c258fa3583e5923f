/* Draws the jumps within a part of a listing beside it, as perfasm does. Overlapping jumps have separate lanes; short jumps are next to
 * the code.
 *
 *     ╭  jne 4f       from here
 *     │  add eax, 1
 *     ╰→ mov ecx, 2   to here
 */
#ifndef CANDOR_ASM_EDGES_H
#define CANDOR_ASM_EDGES_H

#include "asm/listing.h"

#include <stdint.h>

enum { ASM_EDGE_LANES = 10 };

enum asm_cell { ASM_CELL_BLANK, ASM_CELL_LINE, ASM_CELL_TOP, ASM_CELL_BOTTOM, ASM_CELL_ACROSS, ASM_CELL_CROSSING };

struct asm_edge {
    uint32_t from, to; /* lines of the listing */
    int lane;          /* 0 = next to the code; -1 = not drawn, because there were too few lanes */
};

struct asm_edges {
    uint32_t first, count; /* the range of lines */
    struct asm_edge *edges;
    uint32_t edge_count, edge_cap;
    int lanes; /* number of lanes in use */
    uint32_t undrawn;
    uint8_t (*cells)[ASM_EDGE_LANES]; /* enum asm_cell, by line and lane */
    uint8_t *arrives;                 /* bits by line: 1 = a jump arrives from within the range, 2 = from elsewhere in the listing */
    uint8_t *leaves;                  /* the same for jumps that leave: 1 = to a line of the range, 2 = to elsewhere */
};

/* Finds the edges of the lines from first to first + count - 1. Returns 0 or -ENOMEM. Call asm_edges_deinit in both cases. */
int asm_edges_make(struct asm_edges *e, const struct asm_listing *l, uint32_t first, uint32_t count);
void asm_edges_deinit(struct asm_edges *e);
/* Writes the drawing beside a line in UTF-8, e->lanes + 1 columns wide. Returns out. */
char *asm_edges_draw(const struct asm_edges *e, uint32_t line, char *out, size_t size);

#endif
