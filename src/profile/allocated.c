#include "profile/allocated.h"

#include "base/buffer.h"
#include "base/text/stable_name.h"

#include <errno.h>
#include <string.h>

enum { NAME_MAX_BYTES = 1 << 12 };

static const char key[] = "class";

static const char *primitive(char letter)
{
    static const char *const names[] = {"Zboolean", "Bbyte", "Cchar", "Sshort", "Iint", "Jlong", "Ffloat", "Ddouble"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i][0] == letter)
            return names[i] + 1;
    return NULL;
}

static void put_as_it_is(struct buffer *b, const char *name, size_t len)
{
    buffer_put(b, name, len);
}

/* Writes a class's name. A name that is not an array's, or is not valid, stays as it is. */
static void put_name(struct buffer *b, const char *name, size_t len, bool full)
{
    void (*put)(struct buffer *, const char *, size_t) = full ? put_as_it_is : stable_name_put;
    size_t depth = strspn(name, "[");
    const char *element = name + depth;
    size_t rest = depth < len ? len - depth : 0;
    const char *word = depth && rest == 1 ? primitive(*element) : NULL;
    bool is_class = depth && rest > 2 && element[0] == 'L' && element[rest - 1] == ';';
    if (!word && !is_class) {
        put(b, name, len);
        return;
    }
    if (word)
        buffer_text(b, word);
    else
        put(b, element + 1, rest - 2);
    while (depth--)
        buffer_text(b, "[]");
}

void allocated_put_class(struct buffer *b, const char *name, size_t len, bool full)
{
    char terminated[NAME_MAX_BYTES];
    if (len >= sizeof terminated)
        len = sizeof terminated - 1;
    memcpy(terminated, name, len);
    terminated[len] = 0;
    put_name(b, terminated, len, full);
}

int allocated_name(struct profile *p, const char *name, size_t len, uint32_t *string)
{
    struct buffer b;
    buffer_init(&b, 2 * NAME_MAX_BYTES);
    allocated_put_class(&b, name, len, p->full_names);
    int rc = b.failed ? -ENOMEM : profile_string(p, (const char *)b.data, b.len, string);
    buffer_deinit(&b);
    return rc;
}

int allocated_label(struct profile *p, uint32_t string, uint32_t *labels)
{
    struct profile_label label = {.parent = *labels, .value = string};
    return profile_string(p, key, sizeof key - 1, &label.key) ? -ENOMEM : profile_label(p, &label, labels);
}

/* class_key: the string that is the key of classes, 0 = there is none. */
static uint32_t class_of(const struct profile *p, uint32_t class_key, uint32_t labels)
{
    for (; class_key && labels; labels = p->labels[labels].parent)
        if (p->labels[labels].key == class_key)
            return p->labels[labels].value;
    return 0;
}

uint32_t allocated_class(const struct profile *p, uint32_t labels)
{
    return class_of(p, strtab_find(&p->strings, key, sizeof key - 1), labels);
}

bool allocated_has_classes(const struct profile *p)
{
    return profile_is_of_objects(p) || profile_is_of_locks(p);
}

/* Finds or makes the frame of a class. It was made before for most samples. */
static int class_frame(struct profile *names, const struct profile *p, uint32_t class_name, struct map *made, uint32_t *frame)
{
    uint32_t own_name, method;
    bool added;
    uint32_t *known = map_add(made, class_name, &added);
    if (!known)
        return -ENOMEM;
    if (added && (profile_string(names, profile_text(p, class_name), strtab_len(&p->strings, class_name), &own_name) ||
                  profile_method(names, 0, own_name, 0, &method) || profile_frame(names, method, 0, 0, JFR_FRAME_PSEUDO, known)))
        return -ENOMEM;
    *frame = *known;
    return 0;
}

int allocated_add_frames_to(struct profile *names, struct profile *p)
{
    struct map made; /* string of a class -> frame */
    uint32_t class_key = strtab_find(&p->strings, key, sizeof key - 1), frame;
    int rc = 0;
    map_init(&made);
    for (uint32_t i = 0; !rc && i < p->sample_count; i++) {
        struct profile_sample *s = &p->samples[i];
        uint32_t class_name = class_of(p, class_key, s->labels);
        if (class_name)
            rc = class_frame(names, p, class_name, &made, &frame) ? -ENOMEM : profile_stack(names, s->stack, frame, &s->stack);
    }
    map_deinit(&made);
    return rc;
}

int allocated_add_frames(struct profile *p)
{
    return allocated_add_frames_to(p, p);
}

int allocated_show(struct profile *p)
{
    return allocated_has_classes(p) && p->kind != PROFILE_HOLDER ? allocated_add_frames(p) : 0;
}
