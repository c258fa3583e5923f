#include "server/alerts/calls/rule_calls.h"

#include "base/ini.h"
#include "base/procfs.h"
#include "server/alerts/alerts_internal.h"
#include "server/alerts/answer.h"
#include "server/alerts/calls/sections.h"
#include "server/request/question.h"
#include "store/files/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is to be changed. */
struct change {
    const char *text;  /* the new section; NULL = none */
    const char *name;  /* of the section that it replaces; NULL = none */
    const char *match; /* If-Match: the version of that rule that the client has seen; NULL = any */
};

/* Reads the whole file. Returns a text from malloc, or NULL with a code in *rc. */
static char *read_text(const char *path, int *rc, struct error *e)
{
    char *text = malloc(INI_BYTES_MAX);
    ssize_t n = text ? procfs_read(path, text, INI_BYTES_MAX) : -ENOMEM;
    *rc = n < 0                       ? error_set(e, (int)n, "cannot read %s: %s", path, strerror((int)-n))
          : n == INI_BYTES_MAX - 1    ? error_set(e, -EFBIG, "%s is too long", path)
          : strlen(text) != (size_t)n ? error_set(e, -EINVAL, "%s contains a zero byte: it is not a text file", path)
                                      : 0;
    if (!*rc)
        return text;
    free(text);
    return NULL;
}

/* Writes the text beside the file, with the same owner and permissions, and synced. */
static int write_beside(const char *aside, const char *text, const struct stat *like, struct error *e)
{
    int fd = open(aside, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return error_set(e, -errno, "cannot write %s: %s", aside, strerror(errno));
    int rc = disk_write_at(fd, text, strlen(text), 0, aside, e);
    if (!rc && (fchmod(fd, like->st_mode & 07777) || (fchown(fd, like->st_uid, like->st_gid) && errno != EPERM) || fsync(fd)))
        rc = error_set(e, -errno, "cannot write %s: %s", aside, strerror(errno));
    close(fd);
    return rc;
}

/* Checks the new text as a whole, then puts it in the file's place. */
static int replace_file(const char *path, const char *text, struct error *e)
{
    char aside[PATH_MAX + 8];
    struct alert_rules rules;
    struct stat like;
    snprintf(aside, sizeof aside, "%s.new", path);
    if (stat(path, &like))
        return error_set(e, -errno, "cannot read %s: %s", path, strerror(errno));
    unlink(aside); /* of a server that crashed here; only one change is made at a time */
    int rc = write_beside(aside, text, &like, e);
    if (!rc) {
        int bad = rules_read(&rules, aside, e);
        rules_deinit(&rules);
        rc = bad == -ENOMEM ? bad : bad ? -EINVAL : disk_rename(aside, path, e);
    }
    if (rc)
        unlink(aside);
    return rc;
}

/* Whether the change fits the rules that are in use. With If-Match the file is known to have the rule that is replaced. */
static int check(struct alerts *a, const struct change *c, struct error *e)
{
    struct alert_rule rule = {0};
    pthread_mutex_lock(&a->lock);
    int rc = c->text ? rules_draft(&rule, c->text, &a->rules, e) : 0;
    if (!rc && c->name && !c->match && !rules_find(&a->rules, c->name))
        rc = error_set(e, -EINVAL, "there is no rule '%.63s'; GET /v1/alerts lists them", c->name);
    if (!rc && c->text && rules_find(&a->rules, rule.name) && (!c->name || strcmp(rule.name, c->name)))
        rc = error_set(e, -EEXIST, "there is a rule '%.63s' already: replace that one, or choose another name", rule.name);
    pthread_mutex_unlock(&a->lock);
    return rc;
}

/* Checks that the rule in the file is the one that the client has seen. The rules in use may be older. */
static int check_match(const char *path, const struct change *c, struct error *e)
{
    char version[ANSWER_VERSION];
    struct alert_rules rules;
    int rc = rules_read(&rules, path, e);
    const struct alert_rule *rule = rc ? NULL : rules_find(&rules, c->name);
    const char *now = rule ? answer_version(rule, version) : NULL;
    if (!rc && rule && !now)
        rc = error_set(e, -ENOMEM, "out of memory");
    else if (!rc && (!now || strcmp(now, c->match)))
        rc = error_set(e, -ESTALE, "the rule '%.63s' was %s since it was read: read it again, and repeat the change if it is still right",
                       c->name, now ? "changed" : "deleted");
    rules_deinit(&rules);
    return rc;
}

static int change_file(struct alerts *a, const struct change *c, struct error *e)
{
    int rc = 0;
    char *path = realpath(a->path, NULL); /* a link stays, and the file to which it leads is replaced */
    if (!path)
        rc = error_set(e, -errno, "cannot read %s: %s", a->path, strerror(errno));
    rc = rc || !c->match ? rc : check_match(path, c, e);
    rc = rc ? rc : check(a, c, e);
    char *old = rc ? NULL : read_text(path, &rc, e);
    char *made = old ? sections_replace(old, c->name, c->text) : NULL;
    if (old && !made)
        rc = error_set(e, -ENOMEM, "out of memory");
    rc = rc ? rc : replace_file(path, made, e);
    free(made);
    free(old);
    free(path);
    return rc;
}

/* With --keeper every server has its own file of rules. A change to one of them would be lost when another server becomes the keeper. */
static bool may_change(struct http *h)
{
    if (!answer_has_alerts(h))
        return false;
    if (h->server->keeper)
        http_error(h, HTTP_CONFLICT, "with --keeper each server has its own file of rules: change the file on all of them");
    return !h->server->keeper;
}

static void answer_change(struct http *h, const struct change *c)
{
    static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER; /* one change at a time: none is lost */
    struct alerts *a = h->server->alerts;
    struct error e;
    pthread_mutex_lock(&one);
    int rc = change_file(a, c, &e);
    pthread_mutex_unlock(&one);
    if (rc == -EINVAL)
        http_error(h, HTTP_BAD_REQUEST, "%s", e.text);
    else if (rc == -ESTALE)
        http_error(h, HTTP_PRECONDITION_FAILED, "%s", e.text);
    else if (rc == -EEXIST)
        http_error(h, HTTP_CONFLICT, "%s", e.text);
    else if (rc == -EACCES || rc == -EPERM || rc == -EROFS || rc == -EBUSY) /* busy: the file is a mount, as in a container */
        http_error(h, HTTP_CONFLICT, "%s. Let the server's user write this folder, or put the rule into the file yourself", e.text);
    else if (rc)
        question_failed(h, rc, &e);
    else
        http_constant(h, "application/json", "{}\n", 3);
}

/* Returns the text of a member, or NULL if it has none. */
static const char *text_of(const json_t *body, const char *key)
{
    const json_t *v = json_object_get(body, key);
    const char *text = json_string_value(v);
    return text && strlen(text) == json_string_length(v) ? text : NULL;
}

/* Reads If-Match: a version in quotes. "*" is any version. Returns false after an error. */
static bool read_match(struct http *h, struct change *c, char version[ANSWER_VERSION])
{
    const char *text = http_header(h, "If-Match");
    if (!text || !strcmp(text, "*"))
        return true;
    size_t n = strlen(text);
    if (c->name && n == ANSWER_VERSION + 1 && *text == '"' && text[n - 1] == '"') {
        snprintf(version, ANSWER_VERSION, "%s", text + 1);
        c->match = version;
        return true;
    }
    http_error(h, HTTP_BAD_REQUEST, "If-Match is not the version of a rule that is replaced or deleted, in quotes, as in GET /v1/alerts");
    return false;
}

void rule_calls_save(struct http *h, const char *bytes, size_t n)
{
    if (!may_change(h))
        return;
    json_t *body = json_loadb(bytes, n, JSON_REJECT_DUPLICATES, NULL);
    struct change c = {.text = text_of(body, "text"), .name = text_of(body, "replaces")};
    const json_t *replaces = json_object_get(body, "replaces");
    char version[ANSWER_VERSION];
    if (c.text && (c.name || !replaces || json_is_null(replaces))) {
        if (read_match(h, &c, version))
            answer_change(h, &c);
    } else {
        http_error(h, HTTP_BAD_REQUEST, "the body is not like {\"text\": \"[alert slow]\\n...\", \"replaces\": null}");
    }
    json_decref(body);
}

void rule_calls_delete(struct http *h, const char *bytes, size_t n)
{
    if (!may_change(h))
        return;
    json_t *body = json_loadb(bytes, n, JSON_REJECT_DUPLICATES, NULL);
    struct change c = {.name = text_of(body, "name")};
    char version[ANSWER_VERSION];
    if (c.name) {
        if (read_match(h, &c, version))
            answer_change(h, &c);
    } else {
        http_error(h, HTTP_BAD_REQUEST, "the body is not like {\"name\": \"slow\"}");
    }
    json_decref(body);
}
