/* Writes and reads the second name of a function in pprof and OTLP, the system name, from which a frame's class, library and descriptor are
 * restored:
 *
 *     a Java method      a.b.C.m(I)V      class . name descriptor
 *     native code        libx.so!f        library ! name
 *     anything else      the first name, which people see */
#ifndef CANDOR_FORMAT_SYSTEM_NAME_H
#define CANDOR_FORMAT_SYSTEM_NAME_H

#include "base/buffer.h"
#include "profile/profile.h"

struct system_name_text {
    const char *bytes;
    size_t len;
};

/* Appends the system name of the frame, with a zero after it. */
void system_name_put(struct buffer *out, const struct profile *p, const struct profile_frame *f);
/* Returns the library of native code, or NULL. */
const char *system_name_library(const struct profile *p, const struct profile_frame *f);
/* Makes a frame from both names. If the system name adds nothing, uses only the first name (import_frame). Returns 0 or -ENOMEM. */
int system_name_frame(struct profile *p, struct system_name_text name, struct system_name_text system, int32_t line, uint32_t bci,
                      uint8_t type, uint32_t *frame);

#endif
