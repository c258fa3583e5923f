#include "compress/codec.h"

#include <errno.h>
#include <lz4frame.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 64 << 10 };

static const int shown[] = {1, 9, 0};

/* The library writes only if there is room for the worst case. Packed bytes that do not fit into the caller's buffer wait in `waiting`. */
struct encoder {
    LZ4F_cctx *context;
    LZ4F_preferences_t preferences;
    bool begun, ended;
    uint8_t *waiting;
    size_t room, from, to;
};

static bool begins(const uint8_t *bytes, size_t n)
{
    return n >= 4 && !memcmp(bytes, "\x04\x22\x4d\x18", 4);
}

static void *decoder_new(void)
{
    LZ4F_dctx *d;
    return LZ4F_isError(LZ4F_createDecompressionContext(&d, LZ4F_VERSION)) ? NULL : d;
}

static int decode(void *decoder, struct codec_buffers *b)
{
    size_t in = b->in_left, out = b->out_left;
    size_t rc = LZ4F_decompress(decoder, b->out, &out, b->in, &in, NULL);
    if (LZ4F_isError(rc))
        return -EBADMSG;
    b->in += in;
    b->in_left -= in;
    b->out += out;
    b->out_left -= out;
    return rc ? CODEC_MORE : CODEC_END;
}

static void decoder_free(void *decoder)
{
    LZ4F_freeDecompressionContext(decoder);
}

static void encoder_free(void *encoder)
{
    struct encoder *e = encoder;
    if (e) {
        LZ4F_freeCompressionContext(e->context);
        free(e->waiting);
    }
    free(e);
}

static void *encoder_new(int level)
{
    struct encoder *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->preferences = (LZ4F_preferences_t){.compressionLevel = level};
    e->preferences.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
    e->room = LZ4F_compressBound(BLOCK, &e->preferences) + LZ4F_HEADER_SIZE_MAX;
    e->waiting = malloc(e->room);
    if (e->waiting && !LZ4F_isError(LZ4F_createCompressionContext(&e->context, LZ4F_VERSION)))
        return e;
    encoder_free(e);
    return NULL;
}

/* Fills `waiting` with the next packed bytes. Returns their number, or an error code of the library. */
static size_t next(struct encoder *e, struct codec_buffers *b)
{
    size_t n = b->in_left < BLOCK ? b->in_left : BLOCK, rc;
    if (!e->begun) {
        e->begun = true;
        return LZ4F_compressBegin(e->context, e->waiting, e->room, &e->preferences);
    }
    if (!n) {
        e->ended = true;
        return LZ4F_compressEnd(e->context, e->waiting, e->room, NULL);
    }
    rc = LZ4F_compressUpdate(e->context, e->waiting, e->room, b->in, n, NULL);
    b->in += n;
    b->in_left -= n;
    return rc;
}

static void drain(struct encoder *e, struct codec_buffers *b)
{
    size_t n = e->to - e->from < b->out_left ? e->to - e->from : b->out_left;
    memcpy(b->out, e->waiting + e->from, n);
    e->from += n;
    b->out += n;
    b->out_left -= n;
}

static int encode(void *encoder, struct codec_buffers *b, bool last)
{
    struct encoder *e = encoder;
    drain(e, b);
    while (b->out_left && !e->ended && (b->in_left || last)) {
        size_t rc = next(e, b);
        if (LZ4F_isError(rc))
            return -ENOMEM;
        e->from = 0;
        e->to = rc;
        drain(e, b);
    }
    return e->ended && e->from == e->to ? CODEC_END : CODEC_MORE;
}

const struct codec codec_lz4 = {
    .name = "lz4",
    .extension = ".lz4",
    .level_min = 1,
    .level_max = 12,
    .level_default = 1,
    .shown = shown,
    .begins = begins,
    .decoder_new = decoder_new,
    .encoder_new = encoder_new,
    .decode = decode,
    .encode = encode,
    .decoder_free = decoder_free,
    .encoder_free = encoder_free,
};
