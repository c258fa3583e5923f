#include "agent/symbolize/modules.h"

#include "agent/hot/load.h"
#include "agent/hot/unwind/module.h"

#include <link.h>
#include <stdbool.h>
#include <string.h>

enum { POINTER_RELATIVE_4 = 0x1b, COUNT_4 = 0x03, TABLE_RELATIVE_4 = 0x3b, HEADER_BYTES = 12 };

/* The libraries that were loaded at the last update. */
static struct {
    struct module all[MODULES_MAX];
    int count;
    unsigned long long loads, unloads;
} known;

/* Reads the position of the search table, in the coding that every linker uses. A library with another coding has no usable table. The
 * loads are guarded: a library's file may have been cut since it was loaded, and this code runs under the loader's lock, which a fault
 * would leave taken. */
static void read_frame_header(struct module *m, uintptr_t header, size_t size)
{
    static const uint8_t usual[] = {1, POINTER_RELATIVE_4, COUNT_4, TABLE_RELATIVE_4};
    uint32_t coding, count;
    if (size < HEADER_BYTES || !load_u32(header, &coding) || memcmp(&coding, usual, sizeof usual) || !load_u32(header + 8, &count) ||
        count > (size - HEADER_BYTES) / 8)
        return;
    m->frame_header = header;
    m->frame_table = header + HEADER_BYTES;
    m->frame_count = count;
}

void modules_text_bounds(const struct dl_phdr_info *info, uintptr_t *low, uintptr_t *high)
{
    *low = UINTPTR_MAX;
    *high = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + p->p_vaddr;
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
            continue;
        if (begin < *low)
            *low = begin;
        if (begin + p->p_memsz > *high)
            *high = begin + p->p_memsz;
    }
}

static struct module describe(const struct dl_phdr_info *info)
{
    struct module m = {0};
    modules_text_bounds(info, &m.low, &m.high);
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
            read_frame_header(&m, info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, info->dlpi_phdr[i].p_memsz);
    return m;
}

static bool is_same(const struct module *a, const struct module *b)
{
    return a->low == b->low && a->high == b->high && a->frame_table == b->frame_table && a->frame_count == b->frame_count;
}

static bool is_in(const struct module *m, const struct module *list, int count)
{
    for (int i = 0; i < count; i++)
        if (is_same(m, &list[i]))
            return true;
    return false;
}

static int collect(struct dl_phdr_info *info, size_t size, void *unused)
{
    known.loads = info->dlpi_adds;
    known.unloads = info->dlpi_subs;
    struct module m = describe(info);
    if (m.high && known.count < MODULES_MAX)
        known.all[known.count++] = m;
    return 0;
}

static int has_changed(struct dl_phdr_info *info, size_t size, void *unused)
{
    /* The first entry suffices, because the counters are those of the process. */
    return info->dlpi_adds == known.loads && info->dlpi_subs == known.unloads ? 1 : 2;
}

static bool is_known(const struct module *m, void *unused)
{
    return is_in(m, known.all, known.count);
}

void modules_update(void)
{
    static struct module before[MODULES_MAX];
    if (known.count && dl_iterate_phdr(has_changed, NULL) == 1) /* musl counts from 0 */
        return;
    int count_before = known.count;
    memcpy(before, known.all, (size_t)count_before * sizeof *before);
    known.count = 0;
    dl_iterate_phdr(collect, NULL);
    module_retain(is_known, NULL);
    for (int i = 0; i < known.count; i++)
        if (!is_in(&known.all[i], before, count_before))
            module_add(&known.all[i]);
}

unsigned long long modules_changes(void)
{
    return known.loads + known.unloads;
}
