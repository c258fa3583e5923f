/* Reads a library in memory, by its headers there, independently of its file. Only the agent's thread uses it. Reads are guarded
 * (hot/load.h), because truncating a file removes the memory after its new end. */
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
    struct image_part head;    /* the part that was mapped from the file's beginning and is not writable */
    struct image_part dynamic; /* the dynamic section */
    struct image_part notes[IMAGE_NOTES];
};

/* Notes only the addresses. It may be called under the loader's lock. */
void image_describe(struct image *out, const struct dl_phdr_info *info);
/* Whether this file is mapped here, judged by their first 64 KiB. Device and inode are no proof, because overlayfs and btrfs show other
 * ones in /proc/self/maps than stat does. */
bool image_is_of(const struct image *i, const struct elf_file *f);
void image_build_id(const struct image *i, struct elf_build_id *out);
/* Copies the symbols that the dynamic linker uses. Returns 0, -ENOENT if there are none, -ENOEXEC if they are damaged, or -ENOMEM. */
int image_symbols(const struct image *i, struct elf_symbols *out);

#endif
