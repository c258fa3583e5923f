#include "cli/read/trace_id.h"

#include "report/trace.h"

#include <ctype.h>
#include <string.h>

int trace_id_parse(const struct cli_command *command, const char *text, char id[TRACE_ID_DIGITS + 1])
{
    size_t len = strlen(text);
    if (len != TRACE_ID_DIGITS || strspn(text, "0123456789abcdefABCDEF") != len)
        return cli_usage(command, "'%.60s' is not a trace id, which has %d hexadecimal digits", text, TRACE_ID_DIGITS);
    for (size_t i = 0; i <= len; i++)
        id[i] = (char)tolower((unsigned char)text[i]);
    return CLI_OK;
}

int trace_id_keep(struct profile *p, const char *path, const char *id)
{
    int rc = trace_keep(p, id);
    return rc ? cli_fail("%s: %s", path, strerror(-rc)) : CLI_OK;
}
