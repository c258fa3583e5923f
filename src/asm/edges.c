#include "asm/edges.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint32_t top_of(const struct asm_edge *e)
{
    return e->from < e->to ? e->from : e->to;
}

static uint32_t bottom_of(const struct asm_edge *e)
{
    return e->from < e->to ? e->to : e->from;
}

/* Returns the line to which a jump leads; UINT32_MAX = not to an instruction of the listing. */
static uint32_t line_of_target(const struct asm_listing *l, const struct asm_line *line)
{
    const struct asm_instruction *i = &line->instruction;
    uint64_t offset = i->target - l->snapshot->address;
    if (!line->decoded || (i->flow != ASM_JUMP && i->flow != ASM_BRANCH) || !i->target || i->target < l->snapshot->address ||
        offset >= l->snapshot->size)
        return UINT32_MAX;
    uint32_t to = asm_listing_find(l, (uint32_t)offset);
    return to < l->count && l->lines[to].offset == offset ? to : UINT32_MAX;
}

static bool is_inside(const struct asm_edges *e, uint32_t line)
{
    return line >= e->first && line - e->first < e->count;
}

static int collect(struct asm_edges *e, const struct asm_listing *l)
{
    for (uint32_t i = 0; i < l->count; i++) {
        uint32_t to = line_of_target(l, &l->lines[i]);
        bool from_inside = is_inside(e, i), to_inside = to != UINT32_MAX && is_inside(e, to);
        if (from_inside && l->lines[i].decoded && (l->lines[i].instruction.flow == ASM_JUMP || l->lines[i].instruction.flow == ASM_BRANCH))
            e->leaves[i - e->first] |= to_inside ? 1 : 2;
        if (to_inside)
            e->arrives[to - e->first] |= from_inside ? 1 : 2;
        if (!from_inside || !to_inside || to == i)
            continue;
        if (ARRAY_GROW(e->edges, e->edge_cap, e->edge_count))
            return -ENOMEM;
        e->edges[e->edge_count++] = (struct asm_edge){i, to, -1};
    }
    return 0;
}

static int by_length(const void *left, const void *right)
{
    const struct asm_edge *a = left, *b = right;
    uint32_t la = bottom_of(a) - top_of(a), lb = bottom_of(b) - top_of(b);
    return la != lb ? (la > lb) - (la < lb) : (a->from > b->from) - (a->from < b->from);
}

static bool is_free(const struct asm_edges *e, int lane, const struct asm_edge *edge)
{
    for (uint32_t i = top_of(edge); i <= bottom_of(edge); i++)
        if (e->cells[i - e->first][lane] != ASM_CELL_BLANK)
            return false;
    return true;
}

static void draw(struct asm_edges *e, const struct asm_edge *edge)
{
    for (uint32_t i = top_of(edge); i <= bottom_of(edge); i++)
        e->cells[i - e->first][edge->lane] = i == top_of(edge) ? ASM_CELL_TOP : i == bottom_of(edge) ? ASM_CELL_BOTTOM : ASM_CELL_LINE;
}

/* Draws an edge from its lane to the code, across the lanes between. */
static void cross(struct asm_edges *e, const struct asm_edge *edge)
{
    const uint32_t ends[] = {edge->from, edge->to};
    for (int k = 0; k < 2; k++)
        for (int lane = 0; lane < edge->lane; lane++) {
            uint8_t *cell = &e->cells[ends[k] - e->first][lane];
            *cell = *cell == ASM_CELL_BLANK ? ASM_CELL_ACROSS : *cell == ASM_CELL_LINE ? ASM_CELL_CROSSING : *cell;
        }
}

static void assign(struct asm_edges *e)
{
    for (uint32_t i = 0; i < e->edge_count; i++) {
        struct asm_edge *edge = &e->edges[i];
        int lane = 0;
        while (lane < ASM_EDGE_LANES && !is_free(e, lane, edge))
            lane++;
        if (lane == ASM_EDGE_LANES) {
            e->undrawn++;
            continue;
        }
        edge->lane = lane;
        e->lanes = lane >= e->lanes ? lane + 1 : e->lanes;
        draw(e, edge);
    }
    for (uint32_t i = 0; i < e->edge_count; i++)
        if (e->edges[i].lane >= 0)
            cross(e, &e->edges[i]);
}

int asm_edges_make(struct asm_edges *e, const struct asm_listing *l, uint32_t first, uint32_t count)
{
    *e = (struct asm_edges){.first = first, .count = count};
    e->cells = calloc(count + 1u, sizeof *e->cells);
    e->arrives = calloc(count + 1u, 1);
    e->leaves = calloc(count + 1u, 1);
    if (!e->cells || !e->arrives || !e->leaves || collect(e, l))
        return -ENOMEM;
    if (e->edge_count)
        qsort(e->edges, e->edge_count, sizeof *e->edges, by_length);
    assign(e);
    return 0;
}

void asm_edges_deinit(struct asm_edges *e)
{
    free(e->cells);
    free(e->arrives);
    free(e->leaves);
    free(e->edges);
    memset(e, 0, sizeof *e);
}

char *asm_edges_draw(const struct asm_edges *e, uint32_t line, char *out, size_t size)
{
    static const char *const cells[] = {" ", "│", "╭", "╰", "─", "┼"};
    uint32_t row = line - e->first;
    size_t used = 0;
    out[0] = 0;
    for (int lane = e->lanes; lane-- > 0;) {
        const char *cell = cells[e->cells[row][lane]];
        size_t length = strlen(cell);
        if (used + length >= size)
            return out;
        memcpy(out + used, cell, length + 1);
        used += length;
    }
    const char *end = e->arrives[row] & 1 ? "→" : e->arrives[row] & 2 ? "↦" : e->leaves[row] & 2 ? "↗" : " ";
    if (used + strlen(end) < size)
        memcpy(out + used, end, strlen(end) + 1);
    return out;
}
