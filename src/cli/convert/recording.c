#include "cli/convert/recording.h"

#include "base/text/number.h"
#include "cli/convert/codec_table.h"
#include "cli/read/problems.h"
#include "cli/read/remote.h"
#include "compress/pack.h"
#include "format/write/output.h"
#include "jfr/read/reader.h"

#include <string.h>

static bool ends_with(const char *text, size_t len, const char *end)
{
    size_t n = strlen(end);
    return len >= n && !memcmp(text + len - n, end, n);
}

bool convert_names_recording(const char *path, struct packing *p)
{
    const struct codec *codec = codec_by_path(path);
    size_t len = strlen(path) - (codec ? strlen(codec->extension) : 0);
    if (!ends_with(path, len, ".jfr"))
        return false;
    p->codec = codec;
    return true;
}

/* Parses "zstd" or "zstd:19". */
static int parse_packing(const struct cli_args *args, const char *text, struct packing *p)
{
    size_t len = strcspn(text, ":");
    const struct codec *codec = codec_by_name(text, len);
    int64_t level;
    if (!codec)
        return cli_usage(args->command, "--compress '%.40s' must be one of gzip, lz4, zstd, xz%s", text,
                         len ? " that this candor was built with, or 'list'" : "");
    p->codec = codec;
    p->level = 0;
    if (!text[len])
        return CLI_OK;
    if (number_parse_signed(text + len + 1, codec->level_min, codec->level_max, &level))
        return cli_usage(args->command, "--compress %.40s: levels of %s are %d to %d", text, codec->name, codec->level_min,
                         codec->level_max);
    p->level = (int)level;
    return CLI_OK;
}

int convert_write_recording(const char *path, const uint8_t *bytes, uint64_t size, const struct packing *p)
{
    struct output out;
    struct error e;
    int rc = 0;
    if (output_open(&out, path, &e))
        return cli_fail("%s", e.text);
    if (p->codec)
        rc = pack_to(out.file, p->codec, p->level, bytes, size);
    else
        fwrite(bytes, 1, size, out.file);
    if (rc) {
        output_abandon(&out);
        return cli_fail("%s: %s", path, strerror(-rc));
    }
    return output_close(&out, &e) ? cli_fail("%s", e.text) : CLI_OK;
}

/* Converts a recording. Damaged parts of a packed recording are missing from the copy; a message says so. */
static int convert(const char *in, const char *out, const struct packing *p)
{
    static struct jfr_problems problems;
    struct jfr_file *file;
    struct error e;
    if (remote_is(in))
        return cli_fail("%s: a server answers with profiles; convert them to .otlp, .pb.gz or .html, or get one recording as it was sent "
                        "from %s/v1/recordings/ID",
                        in, in);
    if (jfr_file_open(&file, in, &problems, &e))
        return cli_fail("%s", e.text);
    problems_print(in, &problems);
    const uint8_t *bytes = jfr_file_bytes(file);
    uint64_t size = jfr_file_size(file);
    int status = out ? convert_write_recording(out, bytes, size, p) : codec_table_print(bytes, size);
    jfr_file_close(file);
    return status;
}

bool convert_to_recording(const struct cli_args *args, int *status)
{
    const char *in = args->operands[0], *out = args->operand_count > 1 ? args->operands[args->operand_count - 1] : NULL;
    const char *compress = cli_option(args, "compress"), *to = cli_option(args, "to");
    struct packing p = {0};
    *status = CLI_OK;
    if (compress && !strcmp(compress, "list")) {
        *status = out ? cli_usage(args->command, "--compress list writes no file: leave '%.60s' out", out) : convert(in, NULL, &p);
        return true;
    }
    bool recording = out && (to ? !strcmp(to, "jfr") : convert_names_recording(out, &p));
    if (recording && to)
        p.codec = codec_by_path(out);
    if (compress && !recording)
        *status = cli_usage(args->command, "--compress packs recordings: use an OUT that ends in .jfr, or --to jfr");
    else if (compress)
        *status = parse_packing(args, compress, &p);
    if (recording && !*status && args->operand_count > 2)
        *status =
            cli_usage(args->command, "only one recording can be copied to a .jfr; 'candor report' and the other formats take several");
    if (recording && !*status)
        *status = convert(in, out, &p);
    return recording || *status;
}
