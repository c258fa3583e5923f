#include "agent/symbolize/kallsyms.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/procfs.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char path[] = "/proc/kallsyms";

/* Without padding, because there are 60,000. */
struct symbol {
    uint64_t value;
    uint32_t name; /* offset in names */
} __attribute__((packed, aligned(4)));

static struct {
    bool tried;
    struct symbol *all; /* sorted by value */
    uint32_t count, cap;
    struct buffer names;
} symbols;

/* The first allocation has room for all symbols of a usual kernel. Growing would leave unused memory in the process, while pages that
 * are never written take none. */
enum { SYMBOLS_FIRST = 1 << 17, NAMES_FIRST = 4 << 20, NAMES_MAX = 64 << 20, LINE_BYTES = 1024, READ_BYTES = 4096 };

/* The prefix of names for the padding before each function, in which no code runs. Half of all names have it. */
static const char padding[] = "__pfx_";

/* Reads a hexadecimal number with at least one digit, and moves the text behind it. 100,000 lines begin with one, and number_take takes
 * as long for each as all of the rest. */
static bool read_address(const char **text, uint64_t *value)
{
    const char *begin = *text, *c = begin;
    for (*value = 0;; c++) {
        unsigned decimal = (unsigned)*c - '0', letter = (unsigned)*c - 'a';
        if (decimal > 9 && letter > 5)
            break;
        *value = *value << 4 | (decimal > 9 ? letter + 10 : decimal);
    }
    *text = c;
    return c > begin && c - begin <= 16;
}

static bool is_code(char type)
{
    return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

/* Parses a line such as "ffffffff812345d0 t name [module]". Code has the type t, or w if another symbol may replace it. Returns false for
 * anything else, and for the address 0, which stands for a hidden address. */
static bool read_line(const char *line, uint64_t *value, const char **name, size_t *length)
{
    if (!read_address(&line, value) || !*value || line[0] != ' ' || !is_code(line[1]) || line[2] != ' ')
        return false;
    *name = line + 3;
    *length = strcspn(*name, "\t \n");
    return *length && strncmp(*name, padding, sizeof padding - 1);
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

static bool add(uint64_t value, const char *name, size_t length)
{
    if (ARRAY_GROW(symbols.all, symbols.cap, symbols.count))
        return false;
    symbols.all[symbols.count++] = (struct symbol){value, (uint32_t)symbols.names.len};
    buffer_put(&symbols.names, name, length);
    buffer_u8(&symbols.names, 0);
    return !symbols.names.failed;
}

static void reserve(void)
{
    buffer_reserve(&symbols.names, NAMES_FIRST);
    symbols.all = malloc(SYMBOLS_FIRST * sizeof *symbols.all);
    symbols.cap = symbols.all ? SYMBOLS_FIRST : 0;
}

/* Adds the symbols of the lines that are whole; a 0 follows the text. Returns what is left, the beginning of a line; NULL on failure. */
static const char *add_lines(const char *text, size_t size)
{
    const char *name, *end;
    uint64_t value;
    size_t length;
    for (; (end = memchr(text, '\n', size)); size -= (size_t)(end + 1 - text), text = end + 1)
        if (read_line(text, &value, &name, &length) && !add(value, name, length))
            return NULL;
    return text;
}

/* Reads the file to its end. The kernel returns one page at most, and half of the time is its own. */
static bool read_all(int fd)
{
    char text[LINE_BYTES + READ_BYTES + 1];
    size_t kept = 0;
    ssize_t n;
    while ((n = read(fd, text + kept, sizeof text - 1 - kept)) > 0) {
        size_t size = kept + (size_t)n;
        text[size] = 0;
        const char *left = add_lines(text, size);
        kept = left ? size - (size_t)(left - text) : 0;
        if (!left || kept > LINE_BYTES)
            return false;
        memmove(text, left, kept);
    }
    return !n;
}

static void load(void)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    symbols.tried = true;
    buffer_init(&symbols.names, NAMES_MAX);
    if (fd < 0)
        return;
    reserve();
    if (!read_all(fd))
        symbols.count = 0;
    close(fd);
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
