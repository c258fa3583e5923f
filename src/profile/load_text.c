#include "profile/load_text.h"

#include <string.h>

int load_text(struct profile *p, struct jfr_text text, uint32_t *string)
{
    return profile_string(p, text.bytes, text.len, string);
}

bool load_text_is(struct jfr_text text, const char *word)
{
    return text.len == strlen(word) && !memcmp(text.bytes, word, text.len);
}
