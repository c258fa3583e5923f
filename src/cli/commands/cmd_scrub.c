/* candor scrub IN OUT: copies a recording without its secrets. */
#include "cli/cli.h"

#include "cli/convert/recording.h"
#include "cli/read/problems.h"
#include "compress/spool.h"
#include "jfr/read/reader.h"
#include "jfr/read/scrub.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_option options[] = {
    CLI_UNPACK_OPTION,
    {0},
};

static int scrub_chunk(struct jfr_chunk *chunk, struct spool *out, struct jfr_scrubbed *counts, struct error *e)
{
    uint8_t *bytes;
    size_t size;
    int rc = jfr_scrub_chunk(chunk, &bytes, &size, counts);
    if (rc)
        return error_set(e, rc, "%s", strerror(-rc));
    rc = spool_put(out, bytes, size, e);
    free(bytes);
    return rc;
}

static int scrub_file(const struct jfr_file *file, struct spool *out, struct jfr_scrubbed *counts, struct jfr_problems *problems,
                      struct error *e)
{
    int rc = 0;
    for (uint32_t i = 0; !rc && i < jfr_file_chunks(file); i++) {
        struct jfr_chunk *chunk;
        rc = jfr_chunk_open(&chunk, file, i, problems, e);
        if (!rc && chunk)
            rc = scrub_chunk(chunk, out, counts, e);
        jfr_chunk_close(chunk);
    }
    return rc ? rc : spool_finish(out, e);
}

static void print_counts(const char *in, const struct jfr_scrubbed *counts)
{
    fprintf(stderr, "%" PRIu64 " texts of %" PRIu64 " events redacted\n", counts->texts, counts->events);
    if (counts->dropped)
        cli_fail("%s: %" PRIu64 " events could not be checked and are left out", in, counts->dropped);
}

static int scrub(const char *in, const char *path, const struct packing *packing)
{
    static struct jfr_problems problems;
    struct jfr_scrubbed counts = {0};
    struct jfr_file *file;
    struct spool out;
    struct error e;
    if (jfr_file_open(&file, in, &problems, &e))
        return cli_fail("%s", e.text);
    spool_init(&out);
    int rc = scrub_file(file, &out, &counts, &problems, &e), status;
    problems_print(in, &problems);
    if (rc)
        status = cli_fail("%s: %s", in, e.text);
    else
        status = convert_write_recording(path, out.bytes, out.size, packing);
    if (!status)
        print_counts(in, &counts);
    spool_deinit(&out);
    jfr_file_close(file);
    return status;
}

static int scrub_run(const struct cli_args *args)
{
    struct packing packing = {0};
    const char *out = args->operands[1];
    if (strcmp(out, "-") && !convert_names_recording(out, &packing))
        return cli_usage(args->command,
                         "%.200s: the output is a recording: its name must end in .jfr, .jfr.gz, .jfr.lz4, .jfr.zst or .jfr.xz", out);
    return scrub(args->operands[0], out, &packing);
}

const struct cli_command command_scrub = {
    .name = "scrub",
    .arguments = "IN OUT",
    .summary = "copy a recording without its secrets",
    .about = "Copies a recording (any JFR file; '-' is standard input or output) and replaces secrets by ***, as the "
             "agent does when it records: values of system properties, environment variables, options and settings whose "
             "name suggests a password, passphrase, secret, token, credential or key, the same in arguments and command "
             "lines ('--password x', 'password=x'), and user and password in URLs. Not even the length of a secret remains. Every text in "
             "every event is checked, including exceptions and other processes.\n\n"
             "The result is a recording that any tool can read; events keep their times, threads and stack traces. Parts "
             "that cannot be checked (damage, events of types that the file does not declare) are left out and reported. "
             "A secret without a revealing name remains: look at the result with 'candor print' before you share it.",
    .examples = "candor scrub app.jfr clean.jfr\n"
                "    to attach to a bug report\n"
                "candor scrub app.jfr clean.jfr.zst\n"
                "    packed as well\n",
    .options = options,
    .operand = CLI_FILE,
    .operands_min = 2,
    .operands_max = 2,
    .run = scrub_run,
};
