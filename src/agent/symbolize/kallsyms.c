#include "agent/symbolize/kallsyms.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/procfs.h"
#include "base/text/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char path[] = "/proc/kallsyms";

struct symbol {
    uint64_t value;
    uint32_t name; /* offset in names */
};

static struct {
    bool tried;
    struct symbol *all; /* sorted by value */
    uint32_t count, cap;
    struct buffer names;
} symbols;

/* The first allocation has room for all symbols of a usual kernel. Growing would leave unused memory in the process, while pages that
 * are never written take none. */
enum { SYMBOLS_FIRST = 1 << 17, NAMES_FIRST = 4 << 20, NAMES_MAX = 64 << 20 };

/* The prefix of names for the padding before each function, in which no code runs. Half of all names have it. */
static const char padding[] = "__pfx_";

/* Parses a line such as "ffffffff812345d0 t name [module]". Code has the type t, or w if another symbol may replace it. Returns false for
 * anything else, and for the address 0, which stands for a hidden address. */
static bool read_line(char *line, uint64_t *value, char **name)
{
    const char *behind = line;
    if (number_take(&behind, 16, 1, UINT64_MAX, value))
        return false;
    char *end = line + (behind - line);
    if (end[0] != ' ' || !end[1] || !strchr("tTwW", end[1]) || end[2] != ' ')
        return false;
    *name = end + 3;
    (*name)[strcspn(*name, "\t \n")] = 0;
    return **name && strncmp(*name, padding, sizeof padding - 1);
}

static int by_value(const void *left, const void *right)
{
    const struct symbol *a = left, *b = right;
    return (a->value > b->value) - (a->value < b->value);
}

/* Whether the symbols are sorted. The kernel's own symbols are, but modules may be in any order. */
static bool are_sorted(void)
{
    for (uint32_t i = 1; i < symbols.count; i++)
        if (symbols.all[i].value < symbols.all[i - 1].value)
            return false;
    return true;
}

static bool add(uint64_t value, const char *name)
{
    if (ARRAY_GROW(symbols.all, symbols.cap, symbols.count))
        return false;
    symbols.all[symbols.count++] = (struct symbol){value, (uint32_t)symbols.names.len};
    buffer_put(&symbols.names, name, strlen(name) + 1);
    return !symbols.names.failed;
}

static void reserve(void)
{
    buffer_reserve(&symbols.names, NAMES_FIRST);
    symbols.all = malloc(SYMBOLS_FIRST * sizeof *symbols.all);
    symbols.cap = symbols.all ? SYMBOLS_FIRST : 0;
}

static void load(void)
{
    FILE *f = fopen(path, "re");
    char line[1024], *name;
    uint64_t value;
    symbols.tried = true;
    buffer_init(&symbols.names, NAMES_MAX);
    if (!f)
        return;
    reserve();
    while (fgets(line, sizeof line, f))
        if (read_line(line, &value, &name) && !add(value, name)) {
            symbols.count = 0;
            break;
        }
    fclose(f);
    if (!are_sorted()) /* qsort would need as much memory again */
        qsort(symbols.all, symbols.count, sizeof *symbols.all, by_value);
}

const char *kallsyms_find(uint64_t pc)
{
    if (!symbols.tried)
        load();
    uint32_t low = 0, high = symbols.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (symbols.all[middle].value <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? (const char *)symbols.names.data + symbols.all[low - 1].name : NULL;
}

bool kallsyms_readable(void)
{
    FILE *f = fopen(path, "re");
    bool readable = procfs_shows_addresses(f);
    if (f)
        fclose(f);
    return readable;
}

void kallsyms_close(void)
{
    free(symbols.all);
    if (symbols.tried)
        buffer_deinit(&symbols.names);
    memset(&symbols, 0, sizeof symbols);
}
