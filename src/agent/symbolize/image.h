/* A library as it is in memory: what its own headers there say, whatever has happened to its file. The agent's thread only;
 * reads are guarded (hot/load.h), because truncating a file removes the memory behind its new end. */
#ifndef CANDOR_AGENT_SYMBOLIZE_IMAGE_H
#define CANDOR_AGENT_SYMBOLIZE_IMAGE_H

#include "agent/symbolize/elf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dl_phdr_info;

enum { IMAGE_NOTES = 4 };

struct image_part {
    uintptr_t at;
    size_t size;
};

struct image {
    uintptr_t base;
    struct image_part head;    /* what was mapped from the file's beginning, and is not written to */
    struct image_part dynamic; /* the dynamic section */
    struct image_part notes[IMAGE_NOTES];
};

/* Only notes where things are: for use under the loader's lock. */
void image_describe(struct image *out, const struct dl_phdr_info *info);
/* Whether the file is the one that is mapped here, judged by their first 64 KiB: device and inode prove nothing, because
 * overlayfs and btrfs show others in /proc/self/maps than stat does. */
bool image_is_of(const struct image *i, const struct elf_file *f);
void image_build_id(const struct image *i, struct elf_build_id *out);
/* Copies the symbols that the dynamic linker uses. 0, -ENOENT when there are none, -ENOEXEC when they make no sense, -ENOMEM. */
int image_symbols(const struct image *i, struct elf_symbols *out);

#endif
