/* Words with commas between them, such as "cpu,wall". */
#ifndef CANDOR_BASE_TEXT_WORD_LIST_H
#define CANDOR_BASE_TEXT_WORD_LIST_H

#include <stdbool.h>

/* Whether the word is one of the list's; NULL is a list without words. */
bool word_list_has(const char *list, const char *word);

#endif
