#include "profile/load/load_text.h"

int load_text(struct profile *p, struct jfr_text text, uint32_t *string)
{
    return profile_string(p, text.bytes, text.len, string);
}
