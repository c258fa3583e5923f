#include "profile/owner.h"

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
