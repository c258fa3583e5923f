#include "http/token.h"

#include "base/procfs.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

int token_read(const char *path, char token[TOKEN_MAX], struct error *e)
{
    *token = 0;
    if (!*path)
        return 0;
    ssize_t n = procfs_read(path, token, TOKEN_MAX);
    if (n < 0)
        return error_set(e, (int)n, "cannot read the token file %s: %s", path, strerror((int)-n));
    token[strcspn(token, "\r\n")] = 0;
    for (const char *c = token; *c; c++)
        if (!isgraph((unsigned char)*c))
            return error_set(e, -EINVAL, "the token file %s holds more than a token", path);
    return *token ? 0 : error_set(e, -EINVAL, "the token file %s is empty", path);
}
