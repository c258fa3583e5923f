/* Functions for the readers of other tools' formats. They make methods, frames, stacks and samples of the model from the words in a
 * file. They return 0, -ENOMEM, or a code of error_set with one line that names the file. */
#ifndef CANDOR_FORMAT_IMPORT_H
#define CANDOR_FORMAT_IMPORT_H

#include "base/error.h"
#include "profile/format_names.h"
#include "profile/profile.h"

/* Limits for a profile in pprof's format; 0 = no limit. The reader counts the texts and the stacks that it cuts. */
struct import_limits {
    uint32_t text, frames; /* bytes of a text; frames of a stack, at most PROFILE_DEPTH_MAX */
    uint64_t cut_texts, cut_stacks;
};

/* A file in memory, and the user's wishes for reading it. */
struct import {
    const uint8_t *bytes;
    size_t size;
    const char *name;             /* for messages */
    const char *value;            /* the name of the value to read, if the file has several; NULL = the format's default */
    struct import_limits *limits; /* NULL = none */
    struct error *error;
};

/* Fills an empty profile from a file. A wrong detail in the file becomes a problem of the profile. A file that cannot be read as a whole
 * is an error. The memory used is at most a small multiple of the file's size. */
typedef int import_reader(struct profile *p, const struct import *in);

/* The formats that are only read (profile/format_names.h). Each has a reader, and a function that says whether the beginning of a file
 * looks like the format. */
#define IMPORT_FORMAT(name, words, extensions, media)                                                                                      \
    import_reader name##_read;                                                                                                             \
    bool name##_is(const uint8_t *bytes, size_t size);
FORMAT_NAMES_READ(IMPORT_FORMAT)

/* Sets the error "NAME: TEXT" and returns -EINVAL. */
int import_bad(const struct import *in, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- names ---- */

/* Makes a frame from the name that people see. If the name looks like Java's, "a.b.C.m" or "a/b/C.m", it is split into class and method,
 * and PROFILE_TYPE_OTHER becomes JFR_FRAME_JAVA. Any other name is a function without a class. "[truncated]" becomes the frame that
 * represents missing frames. */
int import_frame(struct profile *p, const char *name, size_t len, int32_t line, uint8_t type, uint32_t *frame);

/* ---- stacks: add frames from the leaf or from the root, then make the stack ---- */

struct import_stack {
    uint32_t *frames;
    uint32_t count, cap;
    uint32_t most; /* frames; 0 = PROFILE_DEPTH_MAX */
};

int import_stack_add(struct import_stack *s, uint32_t frame);
/* Makes a stack of the frames, and empties *s. Frames at the root beyond s->most are cut off, and *truncated is set. It is
 * also set if the frame for missing frames is at the root. */
int import_stack_take(struct import_stack *s, struct profile *p, bool leaf_first, uint32_t *stack, bool *truncated);
uint32_t import_stack_most(const struct import_stack *s);
void import_stack_deinit(struct import_stack *s);

/* ---- weights ---- */

/* Sets the profile's unit and value from a format's words ("cpu", "nanoseconds"). *scale is the factor from the file's numbers to the
 * model's. */
int import_unit(struct profile *p, const char *value, const char *unit, uint64_t *scale);
/* Converts a number of a file to a weight. A number that cannot be a weight (negative, too large) becomes UINT64_MAX, which is larger
 * than any valid weight. */
uint64_t import_weight(int64_t number, uint64_t scale);
/* Adds the sample with its outcome, unless its weight is 0. A sample with an invalid weight is left out and counted in *refused. */
int import_sample(struct profile *p, struct profile_sample *s, bool truncated, uint64_t *refused);
/* Adds a problem to the profile if samples were left out. */
int import_refused(struct profile *p, uint64_t refused);

/* ---- placeholders ---- */

/* Return the only thread of a format without threads, and the stack of a sample without frames. */
int import_no_thread(struct profile *p, uint32_t *thread);
int import_no_stack(struct profile *p, uint32_t *stack);
uint8_t import_state(const char *word, size_t len);

#endif
