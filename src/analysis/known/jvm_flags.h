/* What is known of the JVM's flags: which of them make a program slow or are a risk, and which ones a JDK ignores or gives up. */
#ifndef CANDOR_ANALYSIS_KNOWN_JVM_FLAGS_H
#define CANDOR_ANALYSIS_KNOWN_JVM_FLAGS_H

#include <stddef.h>
#include <stdint.h>

enum flag_matter { FLAG_IS_SLOW, FLAG_IS_RISKY };

/* A flag as it stands on the command line. */
struct known_flag {
    const char *flag;
    enum flag_matter matter;
    double score;
    const char *words; /* what it does */
};

extern const struct known_flag known_flags[];
extern const size_t known_flag_count;

/* A flag by its name, "UseParNewGC", or as it stands, "-Xincgc": the first JDK that deprecates it, that ignores it, and that does not start
 * with it; 0 = none does. Of the last one a later JDK than the first may be here: it is one that was tried. */
struct outdated_flag {
    const char *name;
    uint32_t deprecated, ignored, refused;
    const char *instead;
};

extern const struct outdated_flag outdated_flags[];
extern const size_t outdated_flag_count;

#endif
