#include "cli/read/input.h"

#include "base/text/word_list.h"
#include "profile/merge.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

/* Reads --state: words such as "in_native" for "STATE_IN_NATIVE". */
static int parse_states(const struct cli_args *args, struct filter *f)
{
    const char *list = cli_option(args, "state");
    char word[64];
    while (word_list_next(&list, word, sizeof word)) {
        uint32_t found = 0;
        for (uint32_t i = 0; i < JFR_STATES; i++)
            found |= (uint32_t)!strcasecmp(jfr_thread_state_names[i] + strlen("STATE_"), word) << i;
        if (!found)
            return cli_usage(args->command,
                             "no thread state '%s'; the states are runnable, in_native, in_vm, blocked, not_java, "
                             "blocked_on_monitor_enter, in_object_wait, parked, sleeping, "
                             "waiting_for_cpu, in_native_io, unknown",
                             word);
        f->states |= found;
    }
    return CLI_OK;
}

/* Reads --type: the beginning of a type's name, such as "jit" for "JIT compiled". A word such as "compiled" names several types. */
static int parse_types(const struct cli_args *args, struct filter *f)
{
    const char *list = cli_option(args, "type");
    char word[64];
    while (word_list_next(&list, word, sizeof word)) {
        uint32_t found = 0;
        for (uint8_t i = 0; i < PROFILE_TYPE_MARK; i++)
            found |= (uint32_t)!strncasecmp(profile_type_name(i), word, strlen(word)) << i;
        if (!found || !*word)
            return cli_usage(args->command,
                             "no frame type '%s'; the types are interpreted, c1, jit, inlined, native, stub, kernel, "
                             "failed, pseudo, java, other",
                             word);
        f->types |= found;
    }
    return CLI_OK;
}

int input_kind(const struct cli_args *args, enum profile_kind *kind)
{
    const char *name = cli_option(args, "kind");
    *kind = PROFILE_RUNNING;
    if (name && !profile_kind_named(name, kind))
        return cli_usage(args->command, "no kind '%.40s'; the kinds are %s", name, PROFILE_KIND_CHOICES(""));
    return CLI_OK;
}

int input_pattern(const struct cli_args *args, const char *option, struct filter_pattern *pattern)
{
    const char *text = cli_option(args, option);
    struct error e;
    if (text && filter_compile(pattern, text, &e))
        return cli_usage(args->command, "--%s '%.60s' is not a regular expression: %s", option, text, e.text);
    return CLI_OK;
}

static int parse_label(const struct cli_args *args, const char *option, struct filter_label *label)
{
    const char *text = cli_option(args, option);
    struct error e;
    int rc = text ? filter_compile_label(label, text, &e) : 0;
    if (rc == -EINVAL)
        return cli_usage(args->command, "--%s '%.60s' is not a label: %s", option, text, e.text);
    return rc ? cli_fail("--%s: out of memory", option) : CLI_OK;
}

static int parse_filter(const struct cli_args *args, struct filter *f)
{
    int status = input_pattern(args, "thread", &f->thread);
    status = status ? status : input_pattern(args, "method", &f->method);
    status = status ? status : input_pattern(args, "not-method", &f->not_method);
    status = status ? status : input_pattern(args, "package", &f->package);
    status = status ? status : input_pattern(args, "not-package", &f->not_package);
    status = status ? status : parse_label(args, "label", &f->label);
    status = status ? status : parse_label(args, "not-label", &f->not_label);
    status = status ? status : parse_states(args, f);
    return status ? status : parse_types(args, f);
}

static int apply(const struct cli_args *args, struct filter *f, struct profile *p, const char *path)
{
    const char *range = cli_option(args, "time");
    if (range && filter_time(f, range, p))
        return cli_usage(args->command,
                         "--time '%.60s' is not a range of time; write it like +10s..+20s, -5s.., "
                         "12:03:07..12:03:09 or 2026-11-22T16:41:00Z..2026-11-22T16:42:00Z",
                         range);
    int rc = filter_is_set(f) ? filter_apply(f, p) : 0;
    return rc ? cli_fail("%s: %s", path, strerror(-rc)) : CLI_OK;
}

/* Whether the profile has samples of the kind. A recording made for the kind counts even if it has no sample, except for wall-clock
 * time, of which there are always samples. For PROFILE_RUNNING the result is always true. */
static bool has_kind(const struct profile *p, enum profile_kind kind)
{
    const struct profile_kind_info *info = &profile_kinds[kind];
    const char *source = profile_text(p, p->source);
    if (kind == PROFILE_RUNNING)
        return true;
    if (info->basis == PROFILE_BY_OBJECT && p->source)
        return p->unit == info->unit;
    bool may_be_empty = info->basis != PROFILE_BY_CLOCK && !*source;
    return may_be_empty ? word_list_has(profile_setting(p, "event"), info->event) : profile_kind_comes_from(kind, source);
}

/* Prints that the recording has no samples of the kind, and which kinds it has. Returns a status. */
static int lacks(const struct profile *p, const char *path, enum profile_kind kind)
{
    char words[128] = "";
    unsigned kinds = 0;
    enum profile_kind one;
    for (uint32_t i = 0; i < p->event_type_count; i++)
        kinds |= profile_kind_first(p->event_types[i].kinds, &one) ? 1u << one : 0;
    for (one = 0; one < PROFILE_KINDS; one++)
        if (kinds & 1u << one)
            snprintf(words + strlen(words), sizeof words - strlen(words), "%s%s", *words ? ", " : ", which has ", profile_kinds[one].word);
    return cli_fail("%s: %s in this recording%s; record with %s", path, profile_kinds[kind].lack, words, profile_kinds[kind].command);
}

static int read_one(struct profile *p, const struct cli_args *args, const char *path, enum remote_side side)
{
    struct error e;
    if (args && remote_is(path))
        return remote_load(p, args, path, side);
    const char *format = args ? remote_file_format(args) : NULL, *value = args ? cli_option(args, "value") : NULL;
    return formats_load(p, path, format, value, &e) ? cli_fail("%s", e.text) : CLI_OK;
}

/* Reads samples of exactly one kind; there may be none. */
static int load_exactly(struct profile *p, const struct cli_args *args, struct filter *f, const char *path, enum profile_kind kind)
{
    p->kind = kind;
    p->full_names = args && cli_switch(args, "full-names");
    int status = read_one(p, args, path, REMOTE_ONE);
    return status || !args ? status : apply(args, f, p, path);
}

static int load_one(struct profile *p, const struct cli_args *args, struct filter *f, const char *path, enum remote_side side,
                    enum profile_kind kind)
{
    bool remote = args && remote_is(path); /* --kind has already selected the samples on the server */
    p->kind = remote ? PROFILE_RUNNING : kind;
    p->full_names = args && cli_switch(args, "full-names");
    p->or_others = kind == PROFILE_RUNNING;
    int status = read_one(p, args, path, side);
    if (status || remote)
        return status ? status : apply(args, f, p, path);
    const char *asked = args ? cli_option(args, "kind") : NULL;
    const struct profile_kind_info *info = &profile_kinds[p->kind];
    if (p->kind != kind && asked && !strcmp(asked, profile_kinds[PROFILE_RUNNING].word))
        return cli_fail("%s: %s in this recording, only %s; use --kind %s", path, profile_kinds[kind].lack, info->whole, info->word);
    if (!has_kind(p, kind))
        return lacks(p, path, kind);
    return args ? apply(args, f, p, path) : CLI_OK;
}

static int load_several(struct profile *p, const struct cli_args *args, struct filter *f, char **paths, int count, enum profile_kind kind,
                        bool exactly)
{
    int status = CLI_OK;
    for (int i = 0; !status && i < count; i++) {
        struct profile one;
        if (profile_init(&one))
            return cli_fail("%s: out of memory", paths[i]);
        status = exactly ? load_exactly(&one, args, f, paths[i], kind) : load_one(&one, args, f, paths[i], REMOTE_ONE, kind);
        int rc = status ? 0 : profile_merge(p, &one);
        if (rc == -EINVAL)
            status = cli_fail("%s has weights in %s%s%s, but %s has weights in %s: they cannot be added up", paths[i],
                              profile_text(&one, one.value), one.value ? " " : "", profile_unit_word(&one), paths[0], profile_unit_word(p));
        else if (rc)
            status = cli_fail("%s: %s", paths[i], strerror(-rc));
        profile_deinit(&one);
    }
    return status;
}

int input_load(struct profile *p, const struct cli_args *args, char **paths, int count, enum profile_kind kind)
{
    struct filter filter = {0};
    int status = remote_check(args);
    status = status ? status : parse_filter(args, &filter);
    if (!status)
        status =
            count == 1 ? load_one(p, args, &filter, paths[0], REMOTE_ONE, kind) : load_several(p, args, &filter, paths, count, kind, false);
    filter_deinit(&filter);
    return status;
}

int input_load_more(struct profile *p, const struct cli_args *args, char **paths, int count, enum profile_kind kind)
{
    struct filter filter = {0};
    int status = args ? parse_filter(args, &filter) : CLI_OK;
    if (!status)
        status = count == 1 ? load_exactly(p, args, &filter, paths[0], kind) : load_several(p, args, &filter, paths, count, kind, true);
    filter_deinit(&filter);
    return status;
}

int input_filter(struct profile *p, const struct cli_args *args, const char *path)
{
    struct filter filter = {0};
    int status = parse_filter(args, &filter);
    status = status ? status : apply(args, &filter, p, path);
    filter_deinit(&filter);
    return status;
}

int input_load_side(struct profile *p, const struct cli_args *args, char *path, enum remote_side side, enum profile_kind kind)
{
    struct filter filter = {0};
    int status = parse_filter(args, &filter);
    if (!status)
        status = load_one(p, args, &filter, path, side, kind);
    filter_deinit(&filter);
    return status;
}

int input_load_plain(struct profile *p, const char *path, enum profile_kind kind)
{
    return load_one(p, NULL, NULL, path, REMOTE_ONE, kind);
}
