/* Class names in recordings: "java.util.Map", "[Ljava.util.Map;" as in Class.getName(). */
#ifndef CANDOR_AGENT_RECORD_NAMES_CLASS_NAME_H
#define CANDOR_AGENT_RECORD_NAMES_CLASS_NAME_H

#include "base/strtab.h"

#include <stddef.h>
#include <stdint.h>

enum { CLASS_NAME_BYTES_MAX = 1024 }; /* longer names are cut at this length */

/* Returns the symbol of a class name. words: the name in a record, 8 bytes a word, filled up with 0. It is a signature, "Ljava/util/Map;",
 * or the JVM's name, "java/util/Map". */
uint32_t class_name_symbol(struct strtab *strings, const uint64_t *words, size_t count);

#endif
