#include "server/alerts/tell/template.h"

#include "store/files/disk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FIELD_MAX = 100 };

/* Finds the next field. Returns what follows its end, or NULL if there is none. *begin: its braces. */
static const char *next_field(const char *text, const char **begin, char name[FIELD_MAX])
{
    *begin = strstr(text, "{{");
    const char *end = *begin ? strstr(*begin, "}}") : NULL;
    if (!end)
        return NULL;
    const char *from = *begin + 2 + strspn(*begin + 2, " ");
    size_t n = (size_t)(end - from);
    while (n && from[n - 1] == ' ')
        n--;
    snprintf(name, FIELD_MAX, "%.*s", (int)(n < FIELD_MAX ? n : FIELD_MAX - 1), from);
    return end + 2;
}

static bool is_field(const char *name)
{
    static const char *const names[] = {"status", "rule",      "of",       "text",   "value",       "low",
                                        "high",   "threshold", "startsAt", "endsAt", "fingerprint", "test"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], name))
            return true;
    return (!strncmp(name, "label.", 6) && name[6]) || (!strncmp(name, "annotation.", 11) && name[11]);
}

int template_read(char *text, size_t size, const char *path, struct error *e)
{
    uint8_t *bytes = NULL;
    size_t n = 0;
    const char *begin, *at = text;
    char name[FIELD_MAX];
    int rc = disk_read_file(path, size - 1, &bytes, &n, e);
    if (rc)
        return error_set(e, -EINVAL, "template %.200s: cannot be read, or has more than %zu bytes", path, size - 1);
    memcpy(text, bytes, n);
    text[n] = 0;
    free(bytes);
    if (!n || strlen(text) != n)
        return error_set(e, -EINVAL, "template %.200s: it is %s", path, n ? "no text" : "empty");
    while ((at = next_field(at, &begin, name)))
        if (!is_field(name))
            return error_set(e, -EINVAL, "template %.200s: no field {{%.60s}}; docs/fleet.md#alerts lists them", path, name);
    return 0;
}

/* ---- values ---- */

static void put_text(FILE *out, const char *text, bool json)
{
    struct jsonw j;
    char *quoted = NULL;
    size_t n = 0;
    FILE *aside = json ? open_memstream(&quoted, &n) : NULL;
    if (!aside) {
        fputs(json ? "" : text, out);
        return;
    }
    jsonw_init(&j, aside);
    jsonw_text(&j, text);
    if (!fclose(aside) && n >= 2)
        fwrite(quoted + 1, 1, n - 2, out);
    free(quoted);
}

static const char *find_text(const struct alert_text *list, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(list[i].name, name))
            return list[i].value;
    return "";
}

/* Returns the value of a field. room: for a value that is made. */
static const char *value_of(const struct alert_note *note, const char *name, char *room, size_t size)
{
    const struct alert_rule *r = note->rule;
    const struct alert *a = note->alert;
    char text[1024];
    *room = 0;
    if (!strncmp(name, "label.", 6))
        return find_text(r->labels, r->label_count, name + 6);
    if (!strncmp(name, "annotation.", 11))
        return find_text(r->annotations, r->annotation_count, name + 11);
    if (!strcmp(name, "status"))
        return a->state == ALERT_FIRING ? "firing" : "resolved";
    if (!strcmp(name, "rule"))
        return r->name;
    if (!strcmp(name, "of"))
        return a->value ? a->value : "";
    if (!strcmp(name, "threshold"))
        return r->threshold_text;
    if (!strcmp(name, "test"))
        return note->test ? "true" : "false";
    if (!strcmp(name, "text"))
        snprintf(room, size, "%s", note->test ? "a test of this rule" : message_describe(r, a, text, sizeof text));
    else if (!strcmp(name, "startsAt"))
        message_time(a->started, room);
    else if (!strcmp(name, "endsAt") && a->state != ALERT_FIRING)
        message_time(a->ended, room);
    else if (!strcmp(name, "fingerprint"))
        message_fingerprint(note, room);
    else if (a->figure.known && strcmp(name, "endsAt") != 0)
        snprintf(room, size, "%.6g", !strcmp(name, "low") ? a->figure.low : !strcmp(name, "high") ? a->figure.high : a->figure.value);
    return room;
}

void template_put(FILE *out, const char *text, const struct alert_note *note, bool json)
{
    const char *begin, *after;
    char name[FIELD_MAX], room[1024];
    while ((after = next_field(text, &begin, name))) {
        fwrite(text, 1, (size_t)(begin - text), out);
        put_text(out, value_of(note, name, room, sizeof room), json);
        text = after;
    }
    fputs(text, out);
}
