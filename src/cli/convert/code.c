#include "cli/convert/code.h"

#include "asm/export.h"
#include "format/write/output.h"
#include "profile/load/load_jfr.h"

#include <string.h>

static int write_out(const char *to, const char *path, const struct asm_recording *r, uint32_t pid)
{
    struct output out;
    struct error e;
    if (output_open(&out, path, &e))
        return cli_fail("%s", e.text);
    int rc = !strcmp(to, "perfmap") ? asm_export_perfmap(out.file, r) : asm_export_jitdump(out.file, r, pid);
    if (rc) {
        output_abandon(&out);
        return cli_fail("%s: %s", path, strerror(-rc));
    }
    return output_close(&out, &e) ? cli_fail("%s", e.text) : CLI_OK;
}

static int convert(const char *to, const char *in, const char *path)
{
    struct asm_recording r;
    struct profile p;
    struct error e;
    int status = CLI_OK;
    if (asm_recording_init(&r))
        return cli_fail("%s: out of memory", in);
    if (profile_init(&p)) {
        asm_recording_deinit(&r);
        return cli_fail("%s: out of memory", in);
    }
    if (asm_recording_load(&r, in, &e) || profile_load_jfr(&p, in, &e))
        status = cli_fail("%s", e.text);
    else
        status = write_out(to, path, &r, (uint32_t)p.pid);
    profile_deinit(&p);
    asm_recording_deinit(&r);
    return status;
}

bool convert_to_code(const struct cli_args *args, int *status)
{
    const char *to = cli_option(args, "to");
    if (!to || (strcmp(to, "jitdump") && strcmp(to, "perfmap")))
        return false;
    if (args->operand_count != 2)
        *status = cli_usage(args->command, "--to %s needs one recording and the file to write", to);
    else if (!strcmp(args->operands[0], "-"))
        *status = cli_usage(args->command, "--to %s cannot read standard input; give a file", to);
    else
        *status = convert(to, args->operands[0], args->operands[1]);
    return true;
}
