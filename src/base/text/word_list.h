/* Reads lists of words with commas between them, such as "cpu,wall". */
#ifndef CANDOR_BASE_TEXT_WORD_LIST_H
#define CANDOR_BASE_TEXT_WORD_LIST_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the list contains the word; NULL is an empty list. */
bool word_list_has(const char *list, const char *word);
/* Copies the next word, cut to size - 1 bytes, and moves *list behind it. Returns false at the end, and if *list is NULL. Between two
 * commas in a row there is an empty word, but there is no word after a comma at the end. */
bool word_list_next(const char **list, char *word, size_t size);

#endif
