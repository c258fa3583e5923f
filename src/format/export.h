/* Writes profiles in other tools' formats. Each format has one function, which the table of formats (profile/format_names.h) names. */
#ifndef CANDOR_FORMAT_EXPORT_H
#define CANDOR_FORMAT_EXPORT_H

#include "profile/format_names.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stdio.h>

/* A profile, and the user's wishes for writing it. A format ignores the wishes that it has no place for. */
struct export_request {
    const struct profile *profile;
    const char *title;   /* of the file's content; not NULL */
    const char *version; /* of the format, if it has several; NULL = the newest */
    bool threads;        /* each stack begins with a frame for its thread */
    bool samples;        /* weights count samples; otherwise they have the profile's unit */
};

/* Writes the profile. Write errors stay in the stream; the caller checks ferror. Returns 0 or a negative code. */
typedef int export_writer(const struct export_request *as, FILE *out);

#define EXPORT_FORMAT(name, words, extensions, media) export_writer name##_export;
FORMAT_NAMES_BOTH(EXPORT_FORMAT)
FORMAT_NAMES_WRITTEN(EXPORT_FORMAT)

#endif
