/* Reads a JVM's command line, word by word. */
#ifndef CANDOR_ANALYSIS_ARGUMENTS_H
#define CANDOR_ANALYSIS_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ARGUMENT_BYTES = 512 };

/* A word, cut to ARGUMENT_BYTES, and its meaning as a flag. -XX:+UseG1GC is "UseG1GC" with the value "+", -Xmx4g is "MaxHeapSize" with
 * "4g", and -Dkey=text is "-Dkey" with "text". The name of any other word is its part before '='. */
struct argument {
    char word[ARGUMENT_BYTES], name[ARGUMENT_BYTES];
    const char *value; /* part of `word`; "" = there is no value */
    bool is_flag;      /* it begins with -XX:, or is a -X option that is short for such a flag */
};

/* Reads the next word of *rest and advances *rest. Returns false at the end. */
bool argument_next(struct argument *a, const char **rest);
/* Finds the last flag or property of that name, which is the one that counts. Returns false if there is none. */
bool argument_last(struct argument *a, const char *arguments, const char *name);
/* Returns the bytes of a value such as 4g; 0 = the value is not a size. */
uint64_t argument_bytes(const char *value);

#endif
