/* Compression formats behind one interface. Both directions are streams: the caller's buffers limit how much is moved at once,
 * and a format's own memory is bounded too (windows beyond CODEC_WINDOW_LOG_MAX are refused). A coder belongs to one thread. */
#ifndef CANDOR_COMPRESS_CODEC_H
#define CANDOR_COMPRESS_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CODEC_MORE = 0, /* wants more input, or more room for output */
    CODEC_END = 1,  /* the frame is whole; more frames may follow, a new coder reads them */
};

enum { CODEC_WINDOW_LOG_MAX = 27, CODEC_FIRST_BYTES = 6 }; /* 128 MiB, what zstd --long has; enough to know any format by */

/* What is left; a coder moves the pointers on. */
struct codec_buffers {
    const uint8_t *in;
    size_t in_left;
    uint8_t *out;
    size_t out_left;
};

struct codec {
    const char *name;      /* "zstd" */
    const char *extension; /* ".zst" */
    int level_min, level_max, level_default;
    const int *shown;                               /* the levels that a comparison shows, ends with 0 */
    bool (*begins)(const uint8_t *bytes, size_t n); /* whether such a frame begins so */
    /* NULL = out of memory. codec_free may be given what new gave. */
    void *(*decoder_new)(void);
    void *(*encoder_new)(int level);
    /* CODEC_MORE, CODEC_END, -EBADMSG (the bytes are damaged) or -ENOMEM. */
    int (*decode)(void *decoder, struct codec_buffers *b);
    /* The same; last: what is in b is the last of the input, CODEC_END comes when all is written. */
    int (*encode)(void *encoder, struct codec_buffers *b, bool last);
    void (*decoder_free)(void *decoder);
    void (*encoder_free)(void *encoder);
};

/* All that this program was built with; ends with NULL. */
extern const struct codec *const codecs[];

/* By the first bytes of a file, by a name ("zstd") or by the end of a file's name ("app.jfr.zst"); NULL when there is none. */
const struct codec *codec_by_content(const uint8_t *bytes, size_t n);
const struct codec *codec_by_name(const char *name, size_t len);
const struct codec *codec_by_path(const char *path);

extern const struct codec codec_gzip, codec_lz4, codec_zstd, codec_xz;

#endif
