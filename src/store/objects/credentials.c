#include "store/objects/credentials.h"

#include "base/ini.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct found {
    struct credentials *to;
    char id[256], secret[256];
};

static int take(void *context, const char *section, const char *key, const char *value, struct error *e)
{
    struct found *f = context;
    const struct {
        const char *name;
        char *out;
        size_t size;
    } lines[] = {{"aws_access_key_id", f->id, sizeof f->id},
                 {"aws_secret_access_key", f->secret, sizeof f->secret},
                 {"aws_session_token", f->to->token, sizeof f->to->token}};
    if (!key || (*section && strcmp(section, "default")))
        return 0;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (!strcmp(key, lines[i].name) && snprintf(lines[i].out, lines[i].size, "%s", value) >= (int)lines[i].size)
            return error_set(e, -EINVAL, "%s is too long", key);
    return 0;
}

static int take_variable(struct found *f, const char *name, const char *key, struct error *e)
{
    const char *value = getenv(name);
    return value ? take(f, "", key, value, e) : 0;
}

int credentials_read(struct credentials *c, const char *path, struct error *e)
{
    struct found f = {.to = c};
    *c = (struct credentials){0};
    int rc = path ? ini_read(path, take, &f, e) : take_variable(&f, "AWS_ACCESS_KEY_ID", "aws_access_key_id", e);
    if (!rc && !path)
        rc = take_variable(&f, "AWS_SECRET_ACCESS_KEY", "aws_secret_access_key", e);
    if (!rc && !path)
        rc = take_variable(&f, "AWS_SESSION_TOKEN", "aws_session_token", e);
    if (!rc && (!*f.id || !*f.secret))
        rc = error_set(e, -EINVAL,
                       "%s has no aws_access_key_id and aws_secret_access_key for S3; give --s3-credentials FILE, or set both "
                       "in the environment",
                       path ? path : "the environment");
    snprintf(c->key, sizeof c->key, "%s:%s", f.id, f.secret);
    explicit_bzero(&f, sizeof f);
    return rc;
}
