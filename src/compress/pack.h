/* Packs bytes to a stream, or to a function, as one frame. */
#ifndef CANDOR_COMPRESS_PACK_H
#define CANDOR_COMPRESS_PACK_H

#include "compress/codec.h"

#include <stdio.h>

/* Receives packed bytes. Returns 0, or a negative code, which ends the packing. */
typedef int pack_sink(void *context, const void *bytes, size_t n);

/* Packs bytes, and passes them to the sink. level 0 = the default of the format. Returns 0, the code of the sink, or -ENOMEM. */
int pack_bytes(const struct codec *codec, int level, const uint8_t *bytes, uint64_t size, pack_sink *sink, void *context);
/* Packs bytes to a stream. The caller must check the stream's error (ferror). */
int pack_to(FILE *out, const struct codec *codec, int level, const uint8_t *bytes, uint64_t size);

#endif
