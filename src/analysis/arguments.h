/* A JVM's command line, word by word. */
#ifndef CANDOR_ANALYSIS_ARGUMENTS_H
#define CANDOR_ANALYSIS_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ARGUMENT_BYTES = 512 };

/* A word, cut if it is longer; and as a flag: -XX:+UseG1GC is "UseG1GC" with the value "+", -Xmx4g is "MaxHeapSize" with "4g", -Dkey=text
 * is "-Dkey" with "text", anything else has its first part as the name, up to '='. */
struct argument {
    char word[ARGUMENT_BYTES], name[ARGUMENT_BYTES];
    const char *value; /* in word; "" = it has none */
    bool is_flag;      /* -XX: or one of the -X that stand for it */
};

/* The next of *rest, which moves on; false at the end. */
bool argument_next(struct argument *a, const char **rest);
/* The last flag or property of that name, which is the one that counts; false if there is none. */
bool argument_last(struct argument *a, const char *arguments, const char *name);
/* Bytes, of a value such as 4g; 0 = it is none. */
uint64_t argument_bytes(const char *value);

#endif
