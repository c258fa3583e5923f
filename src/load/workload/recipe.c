#include "load/workload/recipe.h"

#include "base/text/number.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *const workload_action_names[WORKLOAD_ACTIONS] = {"read", "update", "insert", "scan", "read-modify-write"};

enum form { WHOLE_64, WHOLE_32, SHARE, YES_NO, KEYS };

#define AT(member) offsetof(struct recipe, member)

static const struct property {
    const char *name;
    enum form form;
    size_t at;
    uint64_t least, most;
} properties[] = {
    {"recordcount", WHOLE_64, AT(records), 1, UINT64_C(1) << 53},
    {"operationcount", WHOLE_64, AT(operations), 0, UINT64_C(1) << 53},
    {"insertstart", WHOLE_64, AT(insert_start), 0, UINT64_C(1) << 53},
    {"insertcount", WHOLE_64, AT(insert_count), 0, UINT64_C(1) << 53},
    {"fieldcount", WHOLE_32, AT(fields), 1, RECIPE_FIELDS_MAX},
    {"fieldlength", WHOLE_32, AT(field_length), 1, RECIPE_FIELD_LENGTH_MAX},
    {"minfieldlength", WHOLE_32, AT(field_length_least), 1, RECIPE_FIELD_LENGTH_MAX},
    {"readproportion", SHARE, AT(proportions[WORKLOAD_READ]), 0, 0},
    {"updateproportion", SHARE, AT(proportions[WORKLOAD_UPDATE]), 0, 0},
    {"insertproportion", SHARE, AT(proportions[WORKLOAD_INSERT]), 0, 0},
    {"scanproportion", SHARE, AT(proportions[WORKLOAD_SCAN]), 0, 0},
    {"readmodifywriteproportion", SHARE, AT(proportions[WORKLOAD_MODIFY]), 0, 0},
    {"requestdistribution", KEYS, AT(distribution), 0, 0},
    {"scanlengthdistribution", KEYS, AT(scan_distribution), 0, 0},
    {"fieldlengthdistribution", KEYS, AT(field_length_distribution), 0, 0},
    {"minscanlength", WHOLE_32, AT(scan_least), 1, 1000000},
    {"maxscanlength", WHOLE_32, AT(scan_most), 1, 1000000},
    {"readallfields", YES_NO, AT(read_all), 0, 0},
    {"writeallfields", YES_NO, AT(write_all), 0, 0},
    {"zeropadding", WHOLE_32, AT(zero_padding), 1, 100},
    {"hotspotdatafraction", SHARE, AT(hot_set), 0, 0},
    {"hotspotopnfraction", SHARE, AT(hot_draws), 0, 0},
};

static int bad(struct error *e, const char *name, const char *value, const char *wanted)
{
    return error_set(e, -EINVAL, "%.60s=%.60s: the value must be %.120s", name, value, wanted);
}

static int set_keys(const char *name, const char *value, void *at, struct error *e)
{
    enum keys_kind *kind = at;
    bool lengths = strcmp(name, "requestdistribution") != 0;
    if (lengths && !strcmp(value, "constant")) {
        *kind = KEYS_SEQUENTIAL; /* stands for: always the longest */
        return 0;
    }
    for (int i = 0; i < KEYS_KINDS; i++)
        if (!strcmp(value, keys_names[i]) && (!lengths || i == KEYS_UNIFORM || i == KEYS_SCRAMBLED)) {
            *kind = lengths && i == KEYS_SCRAMBLED ? KEYS_ZIPFIAN : (enum keys_kind)i; /* YCSB does not scramble lengths */
            return 0;
        }
    return bad(e, name, value,
               lengths ? "constant, uniform or zipfian"
                       : "uniform, sequential, zipfian (scrambled), zipfian_unscrambled, latest, hotspot or exponential");
}

static int set_property(struct recipe *s, const struct property *p, const char *value, struct error *e)
{
    char wanted[120];
    void *at = (char *)s + p->at;
    uint64_t whole;
    switch (p->form) {
    case WHOLE_64:
    case WHOLE_32:
        snprintf(wanted, sizeof wanted, "a whole number from %llu to %llu", (unsigned long long)p->least, (unsigned long long)p->most);
        if (number_parse(value, p->least, p->most, &whole))
            return bad(e, p->name, value, wanted);
        if (p->form == WHOLE_64)
            *(uint64_t *)at = whole;
        else
            *(uint32_t *)at = (uint32_t)whole;
        return 0;
    case SHARE:
        return number_parse_real(value, 0, 1e9, at) ? bad(e, p->name, value, "a number, 0 or above") : 0;
    case YES_NO:
        if (strcasecmp(value, "true") && strcasecmp(value, "false"))
            return bad(e, p->name, value, "true or false");
        *(bool *)at = !strcasecmp(value, "true");
        return 0;
    default:
        return set_keys(p->name, value, at, e);
    }
}

static int set_table(struct recipe *s, const char *value, struct error *e)
{
    size_t n = strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    if (!n || value[n] || n >= sizeof s->table || isdigit((unsigned char)*value))
        return bad(e, "table", value, "a name of letters, digits and '_', at most 63, and a letter first");
    memcpy(s->table, value, n + 1);
    return 0;
}

int recipe_set(struct recipe *s, const char *name, const char *value, struct error *e)
{
    /* Properties of YCSB that a run without YCSB has no use for, or that are always so here. */
    static const char *const ignored[] = {"workload",    "dataintegrity", "exporter",        "measurementtype",
                                          "threadcount", "target",        "maxexecutiontime"};
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++)
        if (!strcmp(name, properties[i].name))
            return set_property(s, &properties[i], value, e);
    if (!strcmp(name, "table"))
        return set_table(s, value, e);
    if (!strcmp(name, "insertorder")) {
        if (strcmp(value, "hashed") && strcmp(value, "ordered"))
            return bad(e, name, value, "hashed or ordered");
        s->ordered = !strcmp(value, "ordered");
        return 0;
    }
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        if (!strcmp(name, ignored[i]))
            return 0;
    if (strchr(name, '.')) /* of a binding, a histogram or a status line of YCSB */
        return 0;
    return error_set(e, -EINVAL, "'%.60s' is not a property of a core workload; docs/load.md lists them", name);
}

static void set_defaults(struct recipe *s)
{
    *s = (struct recipe){.records = 1000,
                         .fields = 10,
                         .field_length = 100,
                         .field_length_least = 1,
                         .proportions = {0.95, 0.05},
                         .distribution = KEYS_UNIFORM,
                         .scan_distribution = KEYS_UNIFORM,
                         .field_length_distribution = KEYS_SEQUENTIAL,
                         .hot_set = 0.2,
                         .hot_draws = 0.8,
                         .scan_least = 1,
                         .scan_most = 1000,
                         .read_all = true,
                         .zero_padding = 1,
                         .table = "usertable"};
}

/* ---- by name ---- */

static void set_core(struct recipe *s, char letter)
{
    static const double core[6][5] = {{0.5, 0.5}, {0.95, 0.05}, {1}, {0.95, 0, 0.05}, {0, 0, 0.05, 0.95}, {0.5, 0, 0, 0, 0.5}};
    memcpy(s->proportions, core[letter - 'a'], sizeof s->proportions);
    s->distribution = letter == 'd' ? KEYS_LATEST : KEYS_SCRAMBLED;
    if (letter == 'e')
        s->scan_most = 100;
}

static int set_weight(struct recipe *s, const char *word, struct error *e)
{
    char name[32];
    size_t n = strcspn(word, "=");
    double weight;
    snprintf(name, sizeof name, "%.*s", (int)n, word);
    for (int i = 0; i < WORKLOAD_ACTIONS; i++)
        if (!strcmp(name, workload_action_names[i]) || (i == WORKLOAD_UPDATE && !strcmp(name, "write"))) {
            if (!word[n] || number_parse_real(word + n + 1, 0, 1e9, &weight))
                return error_set(e, -EINVAL, "'%.60s' in ops() needs a weight: NAME=WEIGHT", word);
            s->proportions[i] = weight;
            return 0;
        }
    return error_set(e, -EINVAL, "'%.30s' in ops() is no operation; they are read, update, insert, scan and read-modify-write", name);
}

static int read_ops(struct recipe *s, const char *list, struct error *e)
{
    size_t n = strlen(list);
    int rc = 0;
    if (!n || list[n - 1] != ')')
        return error_set(e, -EINVAL, "'ops(%.60s' has no ')' at its end", list);
    char *copy = strndup(list, n - 1), *next = copy;
    if (!copy)
        return error_set(e, -ENOMEM, "no memory for the workload");
    memset(s->proportions, 0, sizeof s->proportions);
    while (!rc && next)
        rc = set_weight(s, strsep(&next, ","), e);
    free(copy);
    return rc;
}

/* ---- property files ---- */

/* Splits "name = value" or "name: value". Returns false for a line without a property. */
static bool split(char *line, char **name, char **value)
{
    size_t n = strlen(line);
    while (n && isspace((unsigned char)line[n - 1]))
        line[--n] = 0;
    line += strspn(line, " \t");
    if (!*line || *line == '#' || *line == '!')
        return false;
    *name = line;
    *value = line + strcspn(line, "=: \t");
    char *rest = *value + strspn(*value, " \t");
    if (*rest == '=' || *rest == ':')
        rest++;
    rest += strspn(rest, " \t");
    **value = 0;
    *value = rest;
    return true;
}

static int read_file(struct recipe *s, const char *file, struct error *e)
{
    FILE *f = fopen(file, "re");
    char *line = NULL, *name, *value;
    size_t cap = 0, number = 0;
    int rc = 0;
    if (!f)
        return error_set(e, -errno, "cannot read the workload %.200s: %s; a workload is a letter from a to f, ops(...), or a property file",
                         file, strerror(errno));
    while (!rc && getline(&line, &cap, f) > 0) {
        struct error why;
        number++;
        if (split(line, &name, &value) && (rc = recipe_set(s, name, value, &why)))
            error_set(e, rc, "%.200s, line %zu: %.250s", file, number, why.text);
    }
    if (!rc && ferror(f))
        rc = error_set(e, -EIO, "cannot read the workload %.200s", file);
    free(line);
    fclose(f);
    return rc;
}

int recipe_read(struct recipe *s, const char *text, struct error *e)
{
    const char *letter = !strncmp(text, "workload", 8) && strlen(text) == 9 ? text + 8 : text;
    set_defaults(s);
    snprintf(s->name, sizeof s->name, "%s", text);
    if (letter[0] >= 'a' && letter[0] <= 'f' && !letter[1]) {
        set_core(s, *letter);
        return 0;
    }
    return !strncmp(text, "ops(", 4) ? read_ops(s, text + 4, e) : read_file(s, text, e);
}

int recipe_check(struct recipe *s, struct error *e)
{
    double sum = 0;
    for (int i = 0; i < WORKLOAD_ACTIONS; i++)
        sum += s->proportions[i];
    if (sum <= 0)
        return error_set(e, -EINVAL, "the workload has no operation with a proportion above 0");
    if (s->insert_start >= s->records)
        return error_set(e, -EINVAL, "insertstart=%llu must be below recordcount=%llu", (unsigned long long)s->insert_start,
                         (unsigned long long)s->records);
    if (!s->insert_count)
        s->insert_count = s->records - s->insert_start;
    if (s->insert_count > s->records - s->insert_start)
        return error_set(e, -EINVAL, "insertstart + insertcount must be at most recordcount=%llu", (unsigned long long)s->records);
    if (s->scan_least > s->scan_most || s->field_length_least > s->field_length)
        return error_set(e, -EINVAL, "%s",
                         s->scan_least > s->scan_most ? "minscanlength must be at most maxscanlength"
                                                      : "minfieldlength must be at most fieldlength");
    if (s->hot_set > 1 || s->hot_draws > 1)
        return error_set(e, -EINVAL, "hotspotdatafraction and hotspotopnfraction must be at most 1");
    return 0;
}
