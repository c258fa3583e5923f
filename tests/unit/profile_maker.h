/* Profiles of known content for tests. A stack is "FRAME;FRAME;...", root first. A frame is "[TYPE|]CLASS.METHOD[:LINE]"; TYPE is a word
 * of profile_type_name (default "JIT compiled"). The thread is "main". If memory runs out, the test ends. */
#ifndef TESTS_PROFILE_MAKER_H
#define TESTS_PROFILE_MAKER_H

#include "profile/profile.h"

void maker_init(struct profile *p);
uint32_t maker_string(struct profile *p, const char *text);
uint32_t maker_stack(struct profile *p, const char *frames);
void maker_sample(struct profile *p, const char *frames, uint64_t weight);
/* A sample of another thread than "main". */
void maker_sample_of(struct profile *p, const char *thread, const char *frames, uint64_t weight);
void maker_book(struct profile *p, const char *account, const char *reason, int64_t ns, uint64_t count);
void maker_setting(struct profile *p, const char *name, const char *value);

#endif
