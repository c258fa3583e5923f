#include "profile/owner.h"

#include <stdlib.h>

bool owner_is_java(const struct profile_frame *f)
{
    return f->type <= JFR_FRAME_INLINED || (f->type >= JFR_FRAME_C1_APPROXIMATE && f->type <= JFR_FRAME_JAVA);
}

enum code_owner owner_of_frame(const struct profile *p, const struct profile_frame *f)
{
    const struct profile_method *m = &p->methods[f->method];
    const char *class_name = profile_text(p, m->class_name);
    return owner_is_java(f) && *class_name ? code_owner(class_name, profile_text(p, m->name)) : CODE_OF_PLUMBING;
}

uint32_t *owner_own_labels(const struct profile *p)
{
    uint32_t *of_frame = calloc((size_t)p->frame_count + 1, sizeof *of_frame);
    uint32_t *own = of_frame ? calloc((size_t)p->node_count + 1, sizeof *own) : NULL;
    for (uint32_t i = 0; own && i < p->frame_count; i++)
        of_frame[i] = owner_of_frame(p, &p->frames[i]) == CODE_OF_PROGRAM ? p->frames[i].label : 0;
    for (uint32_t i = 1; own && i < p->node_count; i++) { /* parents come before their children */
        uint32_t label = of_frame[p->nodes[i].frame];
        own[i] = label ? label : own[p->nodes[i].parent];
    }
    free(of_frame);
    return own;
}
