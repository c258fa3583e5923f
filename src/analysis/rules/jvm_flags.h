/* Tables of the JVM's flags: flags that make a program slow or are a risk, and flags that a JDK ignores or has removed. */
#ifndef CANDOR_ANALYSIS_RULES_JVM_FLAGS_H
#define CANDOR_ANALYSIS_RULES_JVM_FLAGS_H

#include <stddef.h>
#include <stdint.h>

enum flag_matter { FLAG_IS_SLOW, FLAG_IS_RISKY };

/* A flag in the form in which it is on the command line. */
struct known_flag {
    const char *flag;
    enum flag_matter matter;
    double score;
    const char *words; /* the flag's effect */
};

extern const struct known_flag known_flags[];
extern const size_t known_flag_count;

/* An outdated flag by its name, "UseParNewGC", or as it is written, "-Xincgc". The numbers are the first JDK that deprecates it, the
 * first that ignores it, and the first that does not start with it; 0 = no JDK does. `refused` may be a later JDK than the first one,
 * because it is a JDK that was tested. */
struct outdated_flag {
    const char *name;
    uint32_t deprecated, ignored, refused;
    const char *instead;
};

extern const struct outdated_flag outdated_flags[];
extern const size_t outdated_flag_count;

#endif
