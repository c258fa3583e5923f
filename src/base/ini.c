#include "base/ini.h"

#include "base/procfs.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *trim(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    size_t n = strlen(text);
    while (n && isspace((unsigned char)text[n - 1]))
        text[--n] = 0;
    return text;
}

static char *unquote(char *value)
{
    size_t n = strlen(value);
    if (n < 2 || value[0] != '"' || value[n - 1] != '"')
        return value;
    value[n - 1] = 0;
    return value + 1;
}

static int take_line(char *line, char *section, size_t size, ini_take *take, void *context, struct error *e)
{
    line = trim(line);
    size_t n = strlen(line);
    if (!*line || *line == '#' || *line == ';')
        return 0;
    if (*line == '[') {
        if (line[n - 1] != ']')
            return error_set(e, -EINVAL, "a section's name ends with ']'");
        line[n - 1] = 0;
        if (snprintf(section, size, "%s", trim(line + 1)) >= (int)size)
            return error_set(e, -EINVAL, "the section's name is too long");
        return take(context, section, NULL, NULL, e);
    }
    char *equals = strchr(line, '=');
    if (!equals)
        return error_set(e, -EINVAL, "'%.60s' is neither [section] nor key = value", line);
    *equals = 0;
    return take(context, section, trim(line), unquote(trim(equals + 1)), e);
}

int ini_parse(char *text, const char *name, ini_take *take, void *context, struct error *e)
{
    char section[128] = "";
    struct error why = {""};
    int number = 0, code = 0;
    for (char *line = text; line && !code;) {
        char *end = strchr(line, '\n');
        if (end)
            *end++ = 0;
        number++;
        code = strlen(line) > INI_LINE_MAX ? error_set(&why, -EINVAL, "the line is too long")
                                           : take_line(line, section, sizeof section, take, context, &why);
        line = end;
    }
    return code ? error_set(e, code, "%s, line %d: %s", name, number, why.text) : 0;
}

int ini_read(const char *path, ini_take *take, void *context, struct error *e)
{
    char *text = malloc(INI_BYTES_MAX);
    if (!text)
        return error_set(e, -ENOMEM, "out of memory");
    ssize_t n = procfs_read(path, text, INI_BYTES_MAX);
    int code = n < 0                       ? error_set(e, (int)n, "cannot read %s: %s", path, strerror((int)-n))
               : n == INI_BYTES_MAX - 1    ? error_set(e, -EFBIG, "%s is longer than a configuration can be", path)
               : strlen(text) != (size_t)n ? error_set(e, -EINVAL, "%s contains a zero byte: it is not a text file", path)
                                           : ini_parse(text, path, take, context, e);
    free(text);
    return code;
}
