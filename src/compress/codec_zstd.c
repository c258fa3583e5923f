#include "compress/codec.h"

#include <errno.h>
#include <zstd.h>
#include <zstd_errors.h>

static const int shown[] = {1, 3, 9, 19, 0};

static uint32_t magic(const uint8_t *b)
{
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* Whether a frame begins with these bytes. Skippable frames may come before the data. */
static bool begins(const uint8_t *bytes, size_t n)
{
    return n >= 4 && (magic(bytes) == ZSTD_MAGICNUMBER || (magic(bytes) & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START);
}

static void *decoder_new(void)
{
    ZSTD_DCtx *d = ZSTD_createDCtx();
    if (d)
        ZSTD_DCtx_setParameter(d, ZSTD_d_windowLogMax, CODEC_WINDOW_LOG_MAX);
    return d;
}

static void *encoder_new(int level)
{
    ZSTD_CCtx *c = ZSTD_createCCtx();
    if (!c)
        return NULL;
    ZSTD_CCtx_setParameter(c, ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
    return c;
}

static int answer(size_t rc, struct codec_buffers *b, const ZSTD_inBuffer *in, const ZSTD_outBuffer *out)
{
    b->in += in->pos;
    b->in_left -= in->pos;
    b->out += out->pos;
    b->out_left -= out->pos;
    if (ZSTD_isError(rc))
        return ZSTD_getErrorCode(rc) == ZSTD_error_memory_allocation ? -ENOMEM : -EBADMSG;
    return rc ? CODEC_MORE : CODEC_END;
}

static int decode(void *decoder, struct codec_buffers *b)
{
    ZSTD_inBuffer in = {b->in, b->in_left, 0};
    ZSTD_outBuffer out = {b->out, b->out_left, 0};
    return answer(ZSTD_decompressStream(decoder, &out, &in), b, &in, &out);
}

static int encode(void *encoder, struct codec_buffers *b, bool last)
{
    ZSTD_inBuffer in = {b->in, b->in_left, 0};
    ZSTD_outBuffer out = {b->out, b->out_left, 0};
    size_t rc = ZSTD_compressStream2(encoder, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
    return answer(last || ZSTD_isError(rc) ? rc : 1, b, &in, &out);
}

static void decoder_free(void *decoder)
{
    ZSTD_freeDCtx(decoder);
}

static void encoder_free(void *encoder)
{
    ZSTD_freeCCtx(encoder);
}

const struct codec codec_zstd = {
    .name = "zstd",
    .extension = ".zst",
    .level_min = 1,
    .level_max = 19,
    .level_default = 3,
    .shown = shown,
    .begins = begins,
    .decoder_new = decoder_new,
    .encoder_new = encoder_new,
    .decode = decode,
    .encode = encode,
    .decoder_free = decoder_free,
    .encoder_free = encoder_free,
};
