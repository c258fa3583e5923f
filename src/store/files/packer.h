/* zstd with one context for each thread and direction. To make a context takes longer than to unpack a column of a small segment. The
 * contexts of a thread are freed when it ends. */
#ifndef CANDOR_STORE_FILES_PACKER_H
#define CANDOR_STORE_FILES_PACKER_H

#include <stddef.h>

/* Packs the bytes. `to` has room for ZSTD_compressBound(size) bytes. Returns how many were written; 0 if there is no memory. */
size_t packer_pack(void *to, size_t room, const void *bytes, size_t size);
/* Unpacks `size` bytes. Returns 0, -ENOMEM, or -EBADMSG if the packed bytes are damaged or are not of so many. */
int packer_unpack(void *to, size_t size, const void *packed, size_t packed_size);

#endif
