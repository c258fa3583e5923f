#include "compress/codec.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { WINDOW = 15, GZIP = 16, MEMORY = 8 };

static const int shown[] = {1, 6, 9, 0};

static bool begins(const uint8_t *bytes, size_t n)
{
    return n >= 3 && bytes[0] == 0x1f && bytes[1] == 0x8b && bytes[2] == Z_DEFLATED;
}

static unsigned some(size_t n)
{
    return n < UINT_MAX ? (unsigned)n : UINT_MAX;
}

static int run(z_stream *z, struct codec_buffers *b, int (*step)(z_stream *, int), int flush)
{
    unsigned in = some(b->in_left), out = some(b->out_left);
    z->next_in = (Bytef *)b->in;
    z->avail_in = in;
    z->next_out = b->out;
    z->avail_out = out;
    int rc = step(z, flush);
    b->in += in - z->avail_in;
    b->in_left -= in - z->avail_in;
    b->out += out - z->avail_out;
    b->out_left -= out - z->avail_out;
    if (rc == Z_STREAM_END)
        return CODEC_END;
    return rc == Z_OK || rc == Z_BUF_ERROR ? CODEC_MORE : rc == Z_MEM_ERROR ? -ENOMEM : -EBADMSG;
}

static void *decoder_new(void)
{
    z_stream *z = calloc(1, sizeof *z);
    if (z && inflateInit2(z, WINDOW + GZIP) == Z_OK)
        return z;
    free(z);
    return NULL;
}

static void *encoder_new(int level)
{
    z_stream *z = calloc(1, sizeof *z);
    if (z && deflateInit2(z, level, Z_DEFLATED, WINDOW + GZIP, MEMORY, Z_DEFAULT_STRATEGY) == Z_OK)
        return z;
    free(z);
    return NULL;
}

static int decode(void *decoder, struct codec_buffers *b)
{
    return run(decoder, b, inflate, Z_NO_FLUSH);
}

static int encode(void *encoder, struct codec_buffers *b, bool last)
{
    return run(encoder, b, deflate, last && b->in_left <= UINT_MAX ? Z_FINISH : Z_NO_FLUSH);
}

static void decoder_free(void *decoder)
{
    if (decoder)
        inflateEnd(decoder);
    free(decoder);
}

static void encoder_free(void *encoder)
{
    if (encoder)
        deflateEnd(encoder);
    free(encoder);
}

const struct codec codec_gzip = {
    .name = "gzip",
    .extension = ".gz",
    .level_min = 1,
    .level_max = 9,
    .level_default = 6,
    .shown = shown,
    .begins = begins,
    .decoder_new = decoder_new,
    .encoder_new = encoder_new,
    .decode = decode,
    .encode = encode,
    .decoder_free = decoder_free,
    .encoder_free = encoder_free,
};
