/* Bytes packed to a stream, or to a spool, as one frame. */
#ifndef CANDOR_COMPRESS_PACK_H
#define CANDOR_COMPRESS_PACK_H

#include "compress/codec.h"

#include <stdio.h>

/* Receives packed bytes. 0, or a negative code, which ends the packing. */
typedef int pack_sink(void *context, const void *bytes, size_t n);

/* 0, what the sink returned, or -ENOMEM. level 0 = the format's own default. */
int pack_bytes(const struct codec *codec, int level, const uint8_t *bytes, uint64_t size, pack_sink *sink, void *context);
/* The same to a stream, whose error (ferror) the caller asks for. */
int pack_to(FILE *out, const struct codec *codec, int level, const uint8_t *bytes, uint64_t size);

#endif
