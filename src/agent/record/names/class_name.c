#include "agent/record/names/class_name.h"

#include <string.h>

/* In the JVM's names, hidden classes have a dot before their last part, where Java has a slash. */
uint32_t class_name_symbol(struct strtab *strings, const uint64_t *words, size_t count)
{
    char name[CLASS_NAME_BYTES_MAX];
    const char *text = (const char *)words;
    size_t length = strnlen(text, 8 * count < sizeof name ? 8 * count : sizeof name), n = 0, from = 0;
    if (length > 2 && text[0] == 'L' && text[length - 1] == ';') {
        from = 1;
        length--;
    }
    for (size_t i = from; i < length; i++)
        name[n++] = text[i] == '/' ? '.' : text[i] == '.' ? '/' : text[i];
    return strtab_add(strings, name, n);
}
