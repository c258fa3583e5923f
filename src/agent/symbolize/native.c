#include "agent/symbolize/native.h"

#include "agent/hot/unwind/cfi.h"
#include "agent/symbolize/demangle.h"
#include "agent/symbolize/elf.h"
#include "agent/symbolize/image.h"
#include "agent/symbolize/modules.h"
#include "agent/symbolize/symbols.h"
#include "base/libc.h"
#include "base/text/number.h"

#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

struct library {
    uintptr_t low, high; /* the bounds of its executable segments */
    struct image image;
    char path[512];
    bool tried;
    unsigned long long changes; /* modules_changes when the library was last seen */
    struct elf_symbols symbols;
};

struct stub {
    uintptr_t begin, end;
    char name[64];
};

static const char vdso[] = "vdso";

static struct library *libraries;
static int library_count, library_cap;
static bool was_used; /* a library was asked for since the last native_rest */
static struct demangle demangler;

static struct {
    pthread_mutex_t lock;
    struct stub *all;
    int count, cap;
} stubs = {.lock = LIBC_ERRORCHECK_MUTEX};

struct wanted {
    uintptr_t pc;
    struct library found;
};

static bool is_vdso(const struct library *l)
{
    return l->image.base && l->image.base == getauxval(AT_SYSINFO_EHDR);
}

static int match_library(struct dl_phdr_info *info, size_t size, void *context)
{
    struct wanted *w = context;
    struct library *l = &w->found;
    uintptr_t low, high;
    modules_text_bounds(info, &low, &high);
    if (w->pc < low || w->pc >= high)
        return 0;
    *l = (struct library){.low = low, .high = high};
    image_describe(&l->image, info);
    const char *path = info->dlpi_name;
    snprintf(l->path, sizeof l->path, "%s", is_vdso(l) ? vdso : path && *path ? path : "/proc/self/exe");
    return 1;
}

static struct library *add_library(const struct library *found)
{
    if (library_count == library_cap) {
        int cap = library_cap ? 2 * library_cap : 16;
        struct library *grown = realloc(libraries, (size_t)cap * sizeof *grown);
        if (!grown)
            return NULL;
        libraries = grown;
        library_cap = cap;
    }
    libraries[library_count] = *found;
    return &libraries[library_count++];
}

static void open_symbols(struct library *l)
{
    l->tried = true;
    symbols_open(&l->symbols, &l->image, is_vdso(l) ? "" : l->path);
}

static bool stub_name(uintptr_t pc, char *out, size_t size)
{
    bool found = false;
    pthread_mutex_lock(&stubs.lock);
    for (int i = stubs.count - 1; i >= 0 && !found; i--)
        if (pc >= stubs.all[i].begin && pc < stubs.all[i].end) {
            snprintf(out, size, "%s", stubs.all[i].name);
            found = true;
        }
    pthread_mutex_unlock(&stubs.lock);
    return found;
}

static void tell_stub(const struct stub *s, uintptr_t *begin, uintptr_t *end, char *name, size_t size)
{
    *begin = s->begin;
    *end = s->end;
    snprintf(name, size, "%s", s->name);
}

bool native_stub(uintptr_t pc, uintptr_t *begin, uintptr_t *end, char *name, size_t size)
{
    bool found = false;
    pthread_mutex_lock(&stubs.lock);
    for (int i = stubs.count - 1; i >= 0 && !found; i--)
        if (pc >= stubs.all[i].begin && pc < stubs.all[i].end) {
            tell_stub(&stubs.all[i], begin, end, name, size);
            found = true;
        }
    pthread_mutex_unlock(&stubs.lock);
    return found;
}

bool native_stub_at(uint32_t i, uintptr_t *begin, uintptr_t *end, char *name, size_t size)
{
    pthread_mutex_lock(&stubs.lock);
    bool found = (int)i < stubs.count;
    if (found)
        tell_stub(&stubs.all[i], begin, end, name, size);
    pthread_mutex_unlock(&stubs.lock);
    return found;
}

static struct library *find_library(uintptr_t pc)
{
    for (int i = 0; i < library_count; i++)
        if (pc >= libraries[i].low && pc < libraries[i].high)
            return &libraries[i];
    return NULL;
}

static bool is_same(const struct library *a, const struct library *b)
{
    return a->low == b->low && a->high == b->high && a->image.base == b->image.base && !strcmp(a->path, b->path);
}

/* Replaces a library that was unloaded, if another one is at its place now. Until then the old entry stays, because its last samples
 * must still be named. */
static void renew(struct library *l, uintptr_t pc)
{
    struct wanted w = {.pc = pc};
    l->changes = modules_changes();
    if (!dl_iterate_phdr(match_library, &w) || is_same(l, &w.found))
        return;
    w.found.changes = l->changes;
    elf_close(&l->symbols);
    *l = w.found;
}

/* Returns the library that contains pc, with its symbols; NULL outside all libraries. */
static struct library *library_of(uintptr_t pc)
{
    struct wanted w = {.pc = pc};
    struct library *l = find_library(pc);
    if (l && l->changes != modules_changes())
        renew(l, pc);
    if (!l && dl_iterate_phdr(match_library, &w)) {
        w.found.changes = modules_changes();
        l = add_library(&w.found);
    }
    if (l && !l->tried)
        open_symbols(l);
    was_used = true;
    return l;
}

static const char *file_name(const struct library *l)
{
    const char *slash = strrchr(l->path, '/');
    return slash ? slash + 1 : l->path;
}

/* Names a function without a symbol by its library and its place there. Tools with the symbols accept this form. */
static void name_by_place(const struct library *l, uintptr_t pc, char *out, size_t size)
{
    struct module m;
    uintptr_t begin;
    if (module_find(pc, &m) && cfi_function(&m, pc, &begin) && begin >= l->low)
        snprintf(out, size, "[%s+0x%llx]", file_name(l), (unsigned long long)(begin - l->image.base));
    else
        snprintf(out, size, "[%s]", file_name(l));
}

void native_name(uintptr_t pc, char *out, size_t size)
{
    if (stub_name(pc, out, size))
        return;
    struct library *l = library_of(pc);
    const char *name = l ? elf_find(&l->symbols, pc - l->image.base) : NULL;
    if (!l)
        snprintf(out, size, "[unknown]");
    else if (name && *name && is_vdso(l) && *name != '_')
        snprintf(out, size, "__vdso_%s", name); /* each function there also has this name; libc may have a function with the short name */
    else if (name && *name)
        demangle(&demangler, name, out, size);
    else
        name_by_place(l, pc, out, size);
}

void native_library(uintptr_t pc, char *out, size_t size)
{
    struct library *l;
    if (stub_name(pc, out, size))
        snprintf(out, size, "stub");
    else if ((l = library_of(pc))) {
        snprintf(out, size, "%s", file_name(l));
        char *suffix = strstr(out, ".so");
        if (suffix)
            *suffix = 0;
    } else
        snprintf(out, size, "%s", "");
}

/* Finds the class. Two words come before the functions in such a table: an offset, and the class's type information. */
bool native_class(uintptr_t pc, uintptr_t virtual_table, char *out, size_t size)
{
    static const char prefix[] = "_ZTV"; /* of a class in no namespace; its length and name follow */
    struct library *l = library_of(pc);
    const char *symbol = l ? elf_data_at(&l->symbols, virtual_table - 2 * sizeof(void *) - l->image.base) : NULL;
    uint64_t length;
    if (!symbol || strncmp(symbol, prefix, sizeof prefix - 1))
        return false;
    const char *name = symbol + sizeof prefix - 1;
    if (number_take(&name, 10, 1, UINT64_MAX, &length) || length != strlen(name))
        return false;
    snprintf(out, size, "%s", name);
    return true;
}

uintptr_t native_data(uintptr_t pc, const char *symbol)
{
    struct library *l = library_of(pc);
    uint64_t value = l ? elf_data(&l->symbols, symbol) : 0;
    return value ? l->image.base + value : 0;
}

void native_add_stub(const char *name, uintptr_t begin, size_t length)
{
    pthread_mutex_lock(&stubs.lock);
    if (stubs.count == stubs.cap) {
        int cap = stubs.cap ? 2 * stubs.cap : 256;
        struct stub *grown = realloc(stubs.all, (size_t)cap * sizeof *grown);
        if (grown) {
            stubs.all = grown;
            stubs.cap = cap;
        }
    }
    if (stubs.count < stubs.cap) {
        struct stub *s = &stubs.all[stubs.count++];
        *s = (struct stub){.begin = begin, .end = begin + length};
        snprintf(s->name, sizeof s->name, "%s", name);
    }
    pthread_mutex_unlock(&stubs.lock);
}

void native_abandon(void)
{
    pthread_mutex_unlock(&stubs.lock); /* fails if the caller does not hold it, which does no harm */
}

int native_library_bounds(uintptr_t pc, uintptr_t *low, uintptr_t *high)
{
    struct wanted w = {.pc = pc};
    if (!dl_iterate_phdr(match_library, &w))
        return -ENOENT;
    *low = w.found.low;
    *high = w.found.high;
    return 0;
}

void native_rest(void)
{
    for (int i = 0; was_used && i < library_count; i++)
        elf_rest(&libraries[i].symbols);
    was_used = false;
}

void native_deinit(void)
{
    for (int i = 0; i < library_count; i++)
        elf_close(&libraries[i].symbols);
    free(libraries);
    libraries = NULL;
    library_count = library_cap = 0;
    pthread_mutex_lock(&stubs.lock);
    free(stubs.all);
    stubs.all = NULL;
    stubs.count = stubs.cap = 0;
    pthread_mutex_unlock(&stubs.lock);
}
