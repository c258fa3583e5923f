#include "base/text/word_list.h"

#include <string.h>

bool word_list_has(const char *list, const char *word)
{
    size_t length = strlen(word);
    while (list && (strcspn(list, ",") != length || strncmp(list, word, length))) {
        list = strchr(list, ',');
        list = list ? list + 1 : NULL;
    }
    return list != NULL;
}
