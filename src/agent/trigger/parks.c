#include "agent/trigger/parks.h"

#include "agent/hot/lock.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum call { WAIT, TIMED_WAIT, CALLS };

enum { SLOTS_MAX = 8 };

#if defined(__x86_64__)
enum { RELOCATION_CALL = R_X86_64_JUMP_SLOT, RELOCATION_DATA = R_X86_64_GLOB_DAT };
#elif defined(__aarch64__)
enum { RELOCATION_CALL = R_AARCH64_JUMP_SLOT, RELOCATION_DATA = R_AARCH64_GLOB_DAT };
#endif

/* A word of the table, and what it held before. */
struct slot {
    _Atomic uintptr_t *at;
    enum call call;
    uintptr_t before; /* ours: it was there already, and is to stay */
};

static struct slot slots[SLOTS_MAX];
static int slot_count;

typedef int wait_function(pthread_cond_t *, pthread_mutex_t *);
typedef int timed_wait_function(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);

/* What our functions call. Written before the first word names one of them. */
static wait_function *real_wait = pthread_cond_wait;
static timed_wait_function *real_timed_wait = pthread_cond_timedwait;

/* Somebody put a hook in front of ours, which calls it, and may do so for ever: it shall not be called by ours. */
static bool is_below_another[CALLS];

static int wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    struct lock_park park;
    bool parks = lock_begin_park(NULL, &park);
    int rc = real_wait(condition, mutex);
    if (parks)
        lock_end_park(&park);
    return rc;
}

static int timed_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *deadline)
{
    struct lock_park park;
    bool parks = lock_begin_park(deadline, &park);
    int rc = real_timed_wait(condition, mutex, deadline);
    if (parks)
        lock_end_park(&park);
    return rc;
}

/* ---- the library's tables ---- */

/* The library that has the address, as the loader left it. */
struct library {
    uintptr_t address, base;
    uintptr_t low, high;
    const ElfW(Dyn) *dynamic;
};

static void note_segment(struct library *l, const ElfW(Phdr) *segment)
{
    uintptr_t at = l->base + segment->p_vaddr;
    if (segment->p_type == PT_DYNAMIC)
        l->dynamic = (const ElfW(Dyn) *)at;
    if (segment->p_type != PT_LOAD)
        return;
    if (!l->low || at < l->low)
        l->low = at;
    if (at + segment->p_memsz > l->high)
        l->high = at + segment->p_memsz;
}

static int look_at(struct dl_phdr_info *info, size_t size, void *library)
{
    struct library *l = library, seen = {.address = l->address, .base = info->dlpi_addr};
    for (int i = 0; i < info->dlpi_phnum; i++)
        note_segment(&seen, &info->dlpi_phdr[i]);
    if (l->address < seen.low || l->address >= seen.high)
        return 0;
    *l = seen;
    return 1;
}

/* glibc has relocated these pointers, musl has not. */
static uintptr_t pointer_of(const struct library *l, ElfW(Addr) value)
{
    return value >= l->low && value < l->high ? value : l->base + value;
}

struct tables {
    const ElfW(Sym) *symbols;
    const char *strings;
    const ElfW(Rela) *calls, *others;
    size_t calls_bytes, others_bytes;
};

static void read_tables(const struct library *l, struct tables *t)
{
    memset(t, 0, sizeof *t);
    for (const ElfW(Dyn) *d = l->dynamic; d && d->d_tag != DT_NULL; d++) {
        uintptr_t at = pointer_of(l, d->d_un.d_ptr);
        switch (d->d_tag) {
        case DT_SYMTAB:
            t->symbols = (const ElfW(Sym) *)at;
            break;
        case DT_STRTAB:
            t->strings = (const char *)at;
            break;
        case DT_JMPREL:
            t->calls = (const ElfW(Rela) *)at;
            break;
        case DT_PLTRELSZ:
            t->calls_bytes = d->d_un.d_val;
            break;
        case DT_RELA:
            t->others = (const ElfW(Rela) *)at;
            break;
        case DT_RELASZ:
            t->others_bytes = d->d_un.d_val;
            break;
        default:
            break;
        }
    }
}

static uintptr_t ours(enum call call)
{
    return call == WAIT ? (uintptr_t)wait : (uintptr_t)timed_wait;
}

static uintptr_t real(enum call call)
{
    return call == WAIT ? (uintptr_t)real_wait : (uintptr_t)real_timed_wait;
}

static void find_slots(const struct library *l, const struct tables *t, const ElfW(Rela) *table, size_t bytes)
{
    static const char *const names[CALLS] = {"pthread_cond_wait", "pthread_cond_timedwait"};
    for (size_t i = 0; table && i < bytes / sizeof *table; i++) {
        unsigned type = ELF64_R_TYPE(table[i].r_info);
        if ((type != RELOCATION_CALL && type != RELOCATION_DATA) || table[i].r_addend)
            continue;
        const char *name = t->strings + t->symbols[ELF64_R_SYM(table[i].r_info)].st_name;
        for (int k = 0; k < CALLS && slot_count < SLOTS_MAX; k++)
            if (!strcmp(name, names[k]))
                slots[slot_count++] = (struct slot){.at = (_Atomic uintptr_t *)(l->base + table[i].r_offset), .call = (enum call)k};
    }
}

/* ---- the words ---- */

static int access_of(const char *letters)
{
    return (letters[0] == 'r' ? PROT_READ : 0) | (letters[1] == 'w' ? PROT_WRITE : 0) | (letters[2] == 'x' ? PROT_EXEC : 0);
}

/* What the kernel says of the page now; 0 = it does not say. */
static int access_at(uintptr_t address)
{
    uintptr_t low, high;
    char *line = NULL, letters[5];
    size_t room = 0;
    int found = 0;
    FILE *f = fopen("/proc/self/maps", "re");
    while (f && !found && getline(&line, &room, f) > 0)
        if (sscanf(line, "%lx-%lx %4s", &low, &high, letters) == 3 && address >= low && address < high)
            found = access_of(letters);
    free(line);
    if (f)
        fclose(f);
    return found;
}

/* The page is as it was afterwards, not as the loader had left it: another hook may have made it writable once and for all. */
static bool write_word(const struct slot *s, uintptr_t value)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)s->at & -page;
    int before = access_at(from);
    bool writable = before & PROT_WRITE;
    if (!writable && mprotect((void *)from, page, PROT_READ | PROT_WRITE))
        return false;
    /* Release: pairs with the call of a thread that finds our function there, and what that calls. */
    atomic_store_explicit(s->at, value, memory_order_release);
    if (!writable && before)
        mprotect((void *)from, page, before);
    return true;
}

static bool find_library(struct library *l, uintptr_t address)
{
    *l = (struct library){.address = address};
    return dl_iterate_phdr(look_at, l) && l->dynamic;
}

/* Where a word still leads to the loader, which would put the C library's function into it at the first call, that one is called in its
 * place; else it may be another's hook, which stays in the chain. */
static void note_real(const struct library *l, const struct slot *s)
{
    if (s->before >= l->low && s->before < l->high)
        return;
    if (s->call == WAIT)
        real_wait = (wait_function *)s->before;
    else
        real_timed_wait = (timed_wait_function *)s->before;
}

/* False: ours is called already, or would be by what it calls. */
static bool wants_hook(struct slot *s)
{
    s->before = atomic_load_explicit(s->at, memory_order_relaxed);
    if (s->before != ours(s->call) && (!is_below_another[s->call] || s->before == real(s->call)))
        return true;
    s->before = ours(s->call);
    return false;
}

int parks_open(uintptr_t address, struct error *e)
{
    struct library library;
    struct tables t;
    slot_count = 0;
    if (!find_library(&library, address))
        return error_set(e, -ENOTSUP, "the JVM's library shows no tables");
    read_tables(&library, &t);
    if (!t.symbols || !t.strings)
        return error_set(e, -ENOTSUP, "the JVM's library shows no symbols");
    find_slots(&library, &t, t.calls, t.calls_bytes);
    find_slots(&library, &t, t.others, t.others_bytes);
    if (!slot_count)
        return error_set(e, -ENOTSUP, "the JVM's library calls the C library's conditions in no way that is known");
    for (int i = 0; i < slot_count; i++)
        if (wants_hook(&slots[i]))
            note_real(&library, &slots[i]);
    for (int i = 0; i < slot_count; i++)
        if (slots[i].before != ours(slots[i].call) && !write_word(&slots[i], ours(slots[i].call))) {
            parks_close();
            return error_set(e, -EPERM, "the JVM's tables may not be written (a security module?)");
        }
    return 0;
}

void parks_close(void)
{
    for (int i = 0; i < slot_count; i++) {
        const struct slot *s = &slots[i];
        uintptr_t now = atomic_load_explicit(s->at, memory_order_relaxed), own = ours(s->call);
        if (s->before == own)
            continue;
        if (now == own)
            write_word(s, s->before);
        else if (now != s->before)
            is_below_another[s->call] = true;
    }
    slot_count = 0;
}
