#include "server/request/exposition.h"

#include <inttypes.h>

void exposition_head(FILE *out, const char *name, const char *type, const char *help)
{
    fprintf(out, "# HELP candor_server_%s %s\n# TYPE candor_server_%s %s\n", name, help, name, type);
}

void exposition_put(FILE *out, const char *name, const char *type, const char *help, uint64_t value)
{
    exposition_head(out, name, type, help);
    fprintf(out, "candor_server_%s %" PRIu64 "\n", name, value);
}

void exposition_label(FILE *out, const char *value)
{
    for (; *value; value++) {
        if (*value == '\\' || *value == '"' || *value == '\n')
            fputc('\\', out);
        fputc(*value == '\n' ? 'n' : *value, out);
    }
}
