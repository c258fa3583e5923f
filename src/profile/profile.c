#include "profile/profile.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/text/stable_name.h"
#include "jfr/schema.h"
#include "profile/names.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Interning uses maps from a pair of ids to an id. Longer keys are pairs of pairs. A method is the pair of (class, name) and the
 * descriptor. A frame is a single number; if one of its numbers is too large for that, it is the pair of (method, line) and (bci, type).
 * A label is (key, value), paired with (unit, number), and then paired with its set. A thread is the pair of its Java id and its
 * operating system's id, each replaced by a small number, and then paired with the name. */
enum {
    MAP_NAME,
    MAP_METHOD,
    MAP_PLACE,
    MAP_FRAME,
    MAP_LARGE_FRAME,
    MAP_BRANCH,
    MAP_LABEL_TEXT,
    MAP_LABEL_KIND,
    MAP_LABEL,
    MAP_THREAD_ID,
    MAP_THREAD_IDS,
    MAP_THREAD,
    MAP_BOOK,
    MAP_SETTING,
    MAPS
};
_Static_assert((int)MAPS == (int)PROFILE_MAPS, "profile.h has as many maps");

enum {
    PROBLEMS_MAX = 100,
    EVENT_TYPES_MAX = 1000,
    NAME_BYTES_MAX = 1 << 20, /* longer names stay as they are */
    BCI_MAX = (1 << 28) - 1,  /* the class file format allows 65,535 */
    SMALL_BITS = 20,          /* three such numbers and a type fit in a key */
};
#define WEIGHT_MAX (1ull << 62)

int profile_init(struct profile *p)
{
    *p = (struct profile){0};
    if (strtab_init(&p->strings))
        return -ENOMEM;
    for (size_t i = 0; i < PROFILE_MAPS; i++)
        map_init(&p->maps[i]);
    if (ARRAY_GROW(p->nodes, p->node_cap, 0) || ARRAY_GROW(p->labels, p->label_cap, 0)) {
        profile_deinit(p);
        return -ENOMEM;
    }
    p->nodes[p->node_count++] = (struct profile_node){0};
    p->labels[p->label_count++] = (struct profile_label){0};
    return 0;
}

void profile_deinit(struct profile *p)
{
    strtab_deinit(&p->strings);
    for (size_t i = 0; i < PROFILE_MAPS; i++)
        map_deinit(&p->maps[i]);
    free(p->methods);
    free(p->frames);
    free(p->nodes);
    free(p->labels);
    free(p->samples);
    free(p->threads);
    free(p->books);
    free(p->book_minutes);
    free(p->settings);
    free(p->problems);
    free(p->objects);
    free(p->live_sets);
    free(p->other_values);
    free(p->event_types);
    *p = (struct profile){0};
}

size_t profile_names_bytes(const struct profile *p)
{
    size_t slots = 0;
    for (size_t i = 0; i < PROFILE_MAPS; i++)
        slots += p->maps[i].cap;
    return strtab_bytes(&p->strings) + p->method_cap * sizeof *p->methods + p->frame_cap * sizeof *p->frames +
           p->node_cap * sizeof *p->nodes + p->thread_cap * sizeof *p->threads + p->label_cap * sizeof *p->labels +
           slots * sizeof(struct map_slot);
}

/* Finds the id for a key. A new key gets the id `next`. Returns 0 or -ENOMEM. */
static int intern(struct map *m, uint64_t key, uint32_t next, uint32_t *id, bool *added)
{
    uint32_t *place = map_add(m, key, added);
    if (!place)
        return -ENOMEM;
    if (*added)
        *place = next;
    *id = *place;
    return 0;
}

static int intern_pair(struct map *m, uint32_t a, uint32_t b, uint32_t next, uint32_t *id, bool *added)
{
    return intern(m, (uint64_t)a << 32 | b, next, id, added);
}

int profile_string(struct profile *p, const char *text, size_t len, uint32_t *id)
{
    *id = strtab_add(&p->strings, text, len);
    return len && !*id ? -ENOMEM : 0;
}

const char *profile_text(const struct profile *p, uint32_t string)
{
    return strtab_text(&p->strings, string);
}

static int index_all(struct profile *p);

/* Completes the maps of methods, frames and stacks, for a function that needs them. Returns 0 or -ENOMEM. */
static inline int indexed(struct profile *p)
{
    return p->unindexed ? index_all(p) : 0;
}

/* Sets the package of a method. The class of a function that is not a Java method is its library. */
static int package_of(struct profile *p, struct profile_method *m)
{
    const char *text = profile_text(p, m->class_name), *dot = strrchr(text, '.');
    m->package = m->class_name;
    if (!strcmp(profile_text(p, m->descriptor), JFR_NO_DESCRIPTOR))
        return 0;
    return profile_string(p, text, dot ? (size_t)(dot - text) : 0, &m->package);
}

/* Whether a function's name is the name of a library. Names that are not the program's own begin with a bracket. Other profilers name a
 * function without a symbol after its library. */
static bool names_library(const char *name)
{
    return *name == '[' || strstr(name, ".so");
}

static int stable_string(struct profile *p, uint32_t string, bool of_library, uint32_t *stable)
{
    struct buffer b;
    *stable = string;
    if (!string)
        return 0;
    buffer_init(&b, NAME_BYTES_MAX);
    (of_library ? stable_name_put_library : stable_name_put)(&b, profile_text(p, string), strtab_len(&p->strings, string));
    bool changes = !b.failed && (b.len != strtab_len(&p->strings, string) || memcmp(b.data, profile_text(p, string), b.len) != 0);
    int rc = changes ? profile_string(p, (const char *)b.data, b.len, stable) : 0;
    buffer_deinit(&b);
    return rc;
}

/* Finds the method with stable names, if these differ from the given names. Returns 1 with *id, 0 if they do not differ, or -ENOMEM. */
static int stable_method(struct profile *p, uint32_t class_name, uint32_t name, uint32_t descriptor, uint32_t *id)
{
    uint32_t stable_class, stable_name;
    bool has_library = !strcmp(profile_text(p, descriptor), JFR_NO_DESCRIPTOR);
    bool of_library = (has_library || !class_name) && names_library(profile_text(p, name));
    if (stable_string(p, class_name, has_library, &stable_class) || stable_string(p, name, of_library, &stable_name))
        return -ENOMEM;
    if (stable_class == class_name && stable_name == name)
        return 0;
    return profile_method(p, stable_class, stable_name, descriptor, id) ? -ENOMEM : 1;
}

int profile_method(struct profile *p, uint32_t class_name, uint32_t name, uint32_t descriptor, uint32_t *id)
{
    bool added;
    uint32_t named;
    struct map *names = &p->maps[MAP_NAME];
    if (indexed(p) || ARRAY_GROW(p->methods, p->method_cap, p->method_count) ||
        intern_pair(names, class_name, name, (uint32_t)names->count, &named, &added) ||
        intern_pair(&p->maps[MAP_METHOD], named, descriptor, p->method_count, id, &added))
        return -ENOMEM;
    if (!added)
        return 0;
    int is_another = p->full_names ? 0 : stable_method(p, class_name, name, descriptor, id);
    if (is_another) {
        uint32_t *known = is_another < 0 ? NULL : map_find(&p->maps[MAP_METHOD], (uint64_t)named << 32 | descriptor);
        if (known)
            *known = *id;
        return known ? 0 : -ENOMEM;
    }
    struct profile_method m = {.class_name = class_name, .name = name, .descriptor = descriptor};
    if (package_of(p, &m))
        return -ENOMEM;
    p->methods[p->method_count++] = m;
    return 0;
}

/* Returns the label of a frame. All frames of a method have the same label, except failed frames. */
static int frame_label(struct profile *p, uint32_t method, uint8_t type, uint32_t *label)
{
    struct profile_method *m = &p->methods[method];
    struct buffer text;
    bool failed = type == JFR_FRAME_FAILED;
    if (m->label && !failed) {
        *label = m->label;
        return 0;
    }
    /* The class of a function that is not a Java method is its library. */
    bool has_class = failed || strcmp(profile_text(p, m->descriptor), JFR_NO_DESCRIPTOR);
    buffer_init(&text, 1 << 20);
    names_frame(&text, has_class ? profile_text(p, m->class_name) : "", profile_text(p, m->name), failed);
    int rc = text.failed ? -ENOMEM : profile_string(p, (const char *)text.data, text.len, label);
    buffer_deinit(&text);
    if (!rc && !failed)
        m->label = *label;
    return rc;
}

static bool is_small_frame(uint32_t method, uint32_t line, uint32_t bci)
{
    return !((method | line | bci) >> SMALL_BITS);
}

static uint64_t small_frame_key(uint32_t method, uint32_t line, uint32_t bci, uint8_t type)
{
    return (((uint64_t)method << SMALL_BITS | line) << SMALL_BITS | bci) << 4 | type;
}

/* Finds the key of a frame, and the map for that key. Returns 0 or -ENOMEM. */
static int frame_key(struct profile *p, uint32_t method, uint32_t line, uint32_t bci, uint8_t type, uint64_t *key, struct map **frames)
{
    bool added;
    uint32_t place;
    struct map *places = &p->maps[MAP_PLACE];
    if (is_small_frame(method, line, bci)) {
        *frames = &p->maps[MAP_FRAME];
        *key = small_frame_key(method, line, bci, type);
        return 0;
    }
    if (intern_pair(places, method, line, (uint32_t)places->count, &place, &added))
        return -ENOMEM;
    *frames = &p->maps[MAP_LARGE_FRAME];
    *key = (uint64_t)place << 32 | bci << 4 | type;
    return 0;
}

int profile_frame(struct profile *p, uint32_t method, int32_t line, uint32_t bci, uint8_t type, uint32_t *id)
{
    bool added;
    uint32_t label = 0;
    uint64_t key;
    struct map *frames;
    if (bci > BCI_MAX)
        bci = BCI_MAX;
    if (indexed(p) || frame_key(p, method, (uint32_t)line, bci, type, &key, &frames))
        return -ENOMEM;
    if (frame_label(p, method, type, &label) || ARRAY_GROW(p->frames, p->frame_cap, p->frame_count) ||
        intern(frames, key, p->frame_count, id, &added))
        return -ENOMEM;
    if (added)
        p->frames[p->frame_count++] = (struct profile_frame){.method = method, .label = label, .line = line, .bci = bci, .type = type};
    return 0;
}

void profile_frame_soon(const struct profile *p, uint32_t method, int32_t line, uint32_t bci, uint8_t type)
{
    if (is_small_frame(method, (uint32_t)line, bci))
        map_soon(&p->maps[MAP_FRAME], small_frame_key(method, (uint32_t)line, bci, type));
}

int profile_branch(struct profile *p, uint32_t parent, uint32_t frame, uint32_t *id)
{
    bool added = true;
    if (indexed(p) || ARRAY_GROW(p->nodes, p->node_cap, p->node_count))
        return -ENOMEM;
    *id = p->node_count;
    /* The last node has no child yet. profile_stack never asks here for a child that is right after its parent. */
    if (parent + 1 < p->node_count && intern_pair(&p->maps[MAP_BRANCH], parent, frame, p->node_count, id, &added))
        return -ENOMEM;
    if (added)
        p->nodes[p->node_count++] = (struct profile_node){.parent = parent, .frame = frame};
    return 0;
}

void profile_drop_stacks(struct profile *p)
{
    map_clear(&p->maps[MAP_BRANCH]);
    p->node_count = 1;
}

static int index_method(struct profile *p, uint32_t method)
{
    bool added;
    uint32_t named;
    const struct profile_method *m = &p->methods[method];
    struct map *names = &p->maps[MAP_NAME];
    return intern_pair(names, m->class_name, m->name, (uint32_t)names->count, &named, &added) ||
           intern_pair(&p->maps[MAP_METHOD], named, m->descriptor, method, &method, &added);
}

static int index_frame(struct profile *p, uint32_t frame)
{
    bool added;
    uint64_t key;
    struct map *frames;
    const struct profile_frame *f = &p->frames[frame];
    return frame_key(p, f->method, (uint32_t)f->line, f->bci, f->type, &key, &frames) || intern(frames, key, frame, &frame, &added);
}

/* A node right after its parent is not in the map. */
static int index_node(struct profile *p, uint32_t node)
{
    bool added;
    const struct profile_node *n = &p->nodes[node];
    return n->parent + 1 != node && intern_pair(&p->maps[MAP_BRANCH], n->parent, n->frame, node, &node, &added);
}

static int index_all(struct profile *p)
{
    int rc = 0;
    for (int i = MAP_NAME; i <= MAP_BRANCH; i++)
        map_clear(&p->maps[i]);
    for (uint32_t i = 0; !rc && i < p->method_count; i++)
        rc = index_method(p, i);
    for (uint32_t i = 0; !rc && i < p->frame_count; i++)
        rc = index_frame(p, i);
    for (uint32_t i = 1; !rc && i < p->node_count; i++)
        rc = index_node(p, i);
    p->unindexed = rc;
    return rc ? -ENOMEM : 0;
}

int profile_label(struct profile *p, const struct profile_label *one, uint32_t *id)
{
    bool added;
    uint32_t text, kind;
    struct map *texts = &p->maps[MAP_LABEL_TEXT], *kinds = &p->maps[MAP_LABEL_KIND];
    *id = one->parent;
    if (!one->key || !one->value || p->labels[one->parent].count == PROFILE_LABELS_MAX)
        return 0;
    if (ARRAY_GROW(p->labels, p->label_cap, p->label_count) ||
        intern_pair(texts, one->key, one->value, (uint32_t)texts->count, &text, &added) ||
        intern_pair(kinds, text, one->unit << 1 | one->number, (uint32_t)kinds->count, &kind, &added) ||
        intern_pair(&p->maps[MAP_LABEL], one->parent, kind, p->label_count, id, &added))
        return -ENOMEM;
    if (added) {
        p->labels[p->label_count] = *one;
        p->labels[p->label_count++].count = p->labels[one->parent].count + 1;
    }
    return 0;
}

static const uint32_t *find_pair(const struct map *m, uint32_t a, uint32_t b)
{
    return map_find(m, (uint64_t)a << 32 | b);
}

bool profile_label_find(const struct profile *p, const struct profile_label *one, uint32_t *id)
{
    const uint32_t *text = find_pair(&p->maps[MAP_LABEL_TEXT], one->key, one->value);
    const uint32_t *kind = text ? find_pair(&p->maps[MAP_LABEL_KIND], *text, one->unit << 1 | one->number) : NULL;
    const uint32_t *set = kind ? find_pair(&p->maps[MAP_LABEL], one->parent, *kind) : NULL;
    if (set)
        *id = *set;
    return set;
}

uint32_t profile_label_list(const struct profile *p, uint32_t labels, const struct profile_label *list[PROFILE_LABELS_MAX])
{
    uint32_t count = p->labels[labels].count;
    for (uint32_t i = count; i--; labels = p->labels[labels].parent)
        list[i] = &p->labels[labels];
    return count;
}

int profile_truncation_frame(struct profile *p, uint32_t *id)
{
    static const char text[] = "[truncated]";
    uint32_t name, method;
    if (profile_string(p, text, sizeof text - 1, &name) || profile_method(p, 0, name, 0, &method))
        return -ENOMEM;
    return profile_frame(p, method, 0, 0, PROFILE_TYPE_MARK, id);
}

int profile_thread(struct profile *p, uint32_t name, uint64_t os_id, uint64_t java_id, uint32_t *id)
{
    bool added;
    uint32_t os, java, ids;
    struct map *word = &p->maps[MAP_THREAD_ID];
    struct map *both = &p->maps[MAP_THREAD_IDS];
    if (ARRAY_GROW(p->threads, p->thread_cap, p->thread_count) || intern(word, os_id, (uint32_t)word->count, &os, &added) ||
        intern(word, java_id, (uint32_t)word->count, &java, &added) || intern_pair(both, os, java, (uint32_t)both->count, &ids, &added) ||
        intern_pair(&p->maps[MAP_THREAD], ids, java_id ? 0 : name, p->thread_count, id, &added))
        return -ENOMEM;
    if (added)
        p->threads[p->thread_count++] = (struct profile_thread){.os_id = os_id, .java_id = java_id};
    if (name)
        p->threads[*id].name = name;
    return 0;
}

int profile_add_sample(struct profile *p, const struct profile_sample *sample)
{
    if (sample->weight >= WEIGHT_MAX - p->weight)
        return -ERANGE;
    if (ARRAY_GROW(p->samples, p->sample_cap, p->sample_count))
        return -ENOMEM;
    struct profile_sample *s = &p->samples[p->sample_count++];
    p->windows = sample->window > p->windows ? sample->window : p->windows;
    *s = *sample;
    if (!s->count)
        s->count = 1;
    if (s->count > UINT32_MAX - p->sampled)
        s->count = UINT32_MAX - p->sampled;
    p->sampled += s->count;
    p->weight += s->weight;
    return 0;
}

void profile_drop_samples(struct profile *p)
{
    p->sample_count = 0;
    p->weight = 0;
    p->hidden_squares = 0;
    p->sampled = 0;
}

int profile_set_book(struct profile *p, const struct profile_book *line)
{
    bool added;
    uint32_t id;
    if (ARRAY_GROW(p->books, p->book_cap, p->book_count) ||
        intern_pair(&p->maps[MAP_BOOK], line->account, line->reason, p->book_count, &id, &added))
        return -ENOMEM;
    p->book_count += added;
    p->books[id] = *line;
    return 0;
}

int profile_set_setting(struct profile *p, uint32_t name, uint32_t value)
{
    bool added;
    uint32_t id;
    if (ARRAY_GROW(p->settings, p->setting_cap, p->setting_count) || intern(&p->maps[MAP_SETTING], name, p->setting_count, &id, &added))
        return -ENOMEM;
    p->setting_count += added;
    p->settings[id] = (struct profile_setting){.name = name, .value = value};
    return 0;
}

int profile_set_host(struct profile *p, const char *name, size_t len)
{
    uint32_t setting, host;
    if (!len)
        return 0;
    if (profile_string(p, "host", strlen("host"), &setting) || profile_string(p, name, len, &host))
        return -ENOMEM;
    return profile_set_setting(p, setting, host);
}

int profile_add_event_type(struct profile *p, const struct profile_event_type *type)
{
    for (uint32_t i = 0; i < p->event_type_count; i++)
        if (p->event_types[i].name == type->name) {
            p->event_types[i].count += type->count;
            return 0;
        }
    if (p->event_type_count == EVENT_TYPES_MAX)
        return 0;
    if (ARRAY_GROW(p->event_types, p->event_type_cap, p->event_type_count))
        return -ENOMEM;
    p->event_types[p->event_type_count++] = *type;
    return 0;
}

int profile_add_problem(struct profile *p, const char *level, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    struct profile_problem problem;
    if (profile_string(p, level, strlen(level), &problem.level) || profile_string(p, text, strlen(text), &problem.text))
        return -ENOMEM;
    for (uint32_t i = 0; i < p->problem_count; i++)
        if (p->problems[i].text == problem.text)
            return 0;
    if (p->problem_count == PROBLEMS_MAX)
        return 0;
    if (ARRAY_GROW(p->problems, p->problem_cap, p->problem_count))
        return -ENOMEM;
    p->problems[p->problem_count++] = problem;
    return 0;
}

const struct profile_book *profile_book(const struct profile *p, const char *account, const char *reason)
{
    for (uint32_t i = 0; i < p->book_count; i++)
        if (!strcmp(profile_text(p, p->books[i].account), account) && !strcmp(profile_text(p, p->books[i].reason), reason))
            return &p->books[i];
    return NULL;
}

const char *profile_setting(const struct profile *p, const char *name)
{
    for (uint32_t i = 0; i < p->setting_count; i++)
        if (!strcmp(profile_text(p, p->settings[i].name), name))
            return profile_text(p, p->settings[i].value);
    return NULL;
}

const char *profile_host(const struct profile *p)
{
    const char *host = profile_setting(p, "host");
    return host && strcmp(host, PROFILE_DIFFERS) != 0 ? host : "";
}

bool profile_is_safepoint(const struct profile *p)
{
    return !strcmp(profile_text(p, p->source), "candor.SafepointSample");
}

const char *profile_type_name(uint8_t type)
{
    if (type == PROFILE_TYPE_MARK)
        return "Missing";
    return type < JFR_FRAME_TYPES ? jfr_frame_type_names[type] : "Other";
}

uint8_t profile_type_named(const char *word, size_t len)
{
    for (uint8_t i = 0; i < PROFILE_TYPES; i++)
        if (strlen(profile_type_name(i)) == len && !memcmp(profile_type_name(i), word, len))
            return i;
    return PROFILE_TYPE_OTHER;
}

const char *profile_kind_word(const struct profile *p)
{
    if (p->kind != PROFILE_RUNNING)
        return profile_kinds[p->kind].word;
    if (!strcmp(profile_text(p, p->source), "candor.EventSample"))
        return "events";
    return profile_is_safepoint(p) ? "running" : profile_kinds[p->kind].word;
}

/* Whether the weights are neither CPU time nor another measure that Candor records, but a value of another tool's file. */
static bool is_foreign_value(const struct profile *p)
{
    return p->kind == PROFILE_RUNNING && (p->unit == PROFILE_UNIT_OTHER || p->unit == PROFILE_UNIT_BYTES);
}

/* The values that a server keeps of a kind have the kind's words. */
static const char *whole_of_value(const struct profile *p)
{
    const char *value = profile_text(p, p->value), *unit = profile_unit_word(p);
    size_t len = strlen(value);
    for (int kind = 0; kind < PROFILE_KINDS; kind++) {
        const char *stored = profile_kinds[kind].stored;
        if (stored && !strncmp(stored, value, len) && stored[len] == ':' && !strcmp(stored + len + 1, unit))
            return profile_kinds[kind].whole;
    }
    return value;
}

const char *profile_whole(const struct profile *p)
{
    if (p->kind != PROFILE_RUNNING)
        return profile_kinds[p->kind].whole;
    if (p->value)
        return whole_of_value(p);
    if (is_foreign_value(p))
        return profile_unit_word(p);
    return profile_is_safepoint(p) ? "running time" : p->unit == PROFILE_UNIT_SAMPLES ? "samples" : profile_kinds[p->kind].whole;
}

const char *profile_kind_title(const struct profile *p)
{
    if (is_foreign_value(p) && strcmp(profile_kind_word(p), "events"))
        return p->value ? profile_text(p, p->value) : profile_unit_word(p);
    if (p->kind == PROFILE_RUNNING && p->unit == PROFILE_UNIT_SAMPLES)
        return "Samples";
    const char *word = profile_kind_word(p);
    if (!strcmp(word, "events"))
        return "Events";
    return strcmp(word, "running") ? profile_kinds[p->kind].title : "Running";
}

const char *profile_unit_word(const struct profile *p)
{
    switch (p->unit) {
    case PROFILE_UNIT_NS:
        return "ns";
    case PROFILE_UNIT_SAMPLES:
        return "samples";
    case PROFILE_UNIT_BYTES:
        return "bytes";
    default:
        return profile_text(p, p->unit_name);
    }
}
