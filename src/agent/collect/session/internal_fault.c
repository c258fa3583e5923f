#include "agent/collect/session/internal_fault.h"

#include "agent/hot/thread/turn.h"

#include <elf.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { BUILD_ID_TEXT_MAX = 2 * 32 + 1 };

extern const char __ehdr_start[] __attribute__((visibility("hidden"))); /* the agent's file in memory; the linker defines it */

static size_t padded(size_t size)
{
    return (size + 3) & ~(size_t)3;
}

static bool find_build_id(const char *notes, size_t size, char *out, size_t room)
{
    for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= size;) {
        ElfW(Nhdr) n;
        memcpy(&n, notes + at, sizeof n);
        const char *name = notes + at + sizeof n;
        const uint8_t *id = (const uint8_t *)name + padded(n.n_namesz);
        if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == sizeof ELF_NOTE_GNU && !memcmp(name, ELF_NOTE_GNU, n.n_namesz)) {
            for (size_t i = 0; i < n.n_descsz && 2 * i + 2 < room; i++)
                snprintf(out + 2 * i, 3, "%02x", id[i]);
            return true;
        }
        at += sizeof n + padded(n.n_namesz) + padded(n.n_descsz);
    }
    return false;
}

static void read_build_id(char *out, size_t room)
{
    const ElfW(Ehdr) *head = (const ElfW(Ehdr) *)__ehdr_start;
    const ElfW(Phdr) *p = (const ElfW(Phdr) *)(__ehdr_start + head->e_phoff);
    snprintf(out, room, "unknown");
    for (int i = 0; i < head->e_phnum; i++)
        if (p[i].p_type == PT_NOTE && find_build_id(__ehdr_start + p[i].p_offset, p[i].p_filesz, out, room))
            return;
}

static const char *name_of(int signal)
{
    switch (signal) {
    case SIGSEGV:
        return "SIGSEGV";
    case SIGBUS:
        return "SIGBUS";
    case SIGFPE:
        return "SIGFPE";
    default:
        return "SIGILL";
    }
}

bool internal_fault_describe(char *out, size_t size)
{
    char id[BUILD_ID_TEXT_MAX];
    *out = 0;
    if (!turn_has_faulted())
        return false;
    struct turn_fault f = turn_first_fault();
    read_build_id(id, sizeof id);
    snprintf(
        out, size,
        "the agent has ended all sampling in this process after an internal fault: %s %s libcandor.so+0x%lx, build id %s; please report it",
        name_of(f.signal), f.elsewhere ? "in code called from" : "at", (unsigned long)f.offset, id);
    return true;
}
