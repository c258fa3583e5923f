#include "compress/codec.h"

#include <string.h>

const struct codec *const codecs[] = {
#ifdef CANDOR_GZIP
    &codec_gzip,
#endif
#ifdef CANDOR_LZ4
    &codec_lz4,
#endif
#ifdef CANDOR_ZSTD
    &codec_zstd,
#endif
#ifdef CANDOR_XZ
    &codec_xz,
#endif
    NULL,
};

const struct codec *codec_by_content(const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; codecs[i]; i++)
        if (codecs[i]->begins(bytes, n))
            return codecs[i];
    return NULL;
}

const struct codec *codec_by_name(const char *name, size_t len)
{
    for (size_t i = 0; codecs[i]; i++)
        if (strlen(codecs[i]->name) == len && !memcmp(codecs[i]->name, name, len))
            return codecs[i];
    return NULL;
}

const struct codec *codec_by_path(const char *path)
{
    size_t len = strlen(path);
    for (size_t i = 0; codecs[i]; i++) {
        size_t n = strlen(codecs[i]->extension);
        if (len > n && !memcmp(path + len - n, codecs[i]->extension, n))
            return codecs[i];
    }
    return NULL;
}
