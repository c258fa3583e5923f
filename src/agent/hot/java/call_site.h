/* A cache of call sites in compiled code: the frames that a return address stands for do not change while its nmethod lives, so they are
 * decoded once, and later walks find them by the address.
 *
 * An nmethod is recognized by its address and the number of its compilation, which is unique. The table is direct-mapped: a new entry
 * replaces the old one. Each slot is a sequence lock whose reader does not wait (Boehm, "Can seqlocks get along with programming language
 * memory models?", MSPC 2012); a reader that meets a writer treats the entry as absent. Handlers call these functions, which are
 * wait-free. */
#ifndef CANDOR_AGENT_HOT_JAVA_CALL_SITE_H
#define CANDOR_AGENT_HOT_JAVA_CALL_SITE_H

#include "agent/hot/java/code.h"

#include <stdbool.h>
#include <stdint.h>

enum { CALL_SITE_FRAMES_MAX = 11 }; /* a call site with more frames is not remembered */

struct call_site {
    struct code code;    /* the members that the next frame needs: kind, blob and frame_words */
    uint64_t name;       /* the address of the name of the nmethod's kind */
    uint32_t compile_id; /* of the nmethod */
    uint32_t count;
    uint64_t frames[CALL_SITE_FRAMES_MAX]; /* as in hot/record.h, innermost first */
};

/* Finds a call site. Returns true if it is known, and its nmethod has not been replaced. */
bool call_site_recall(uintptr_t pc, struct call_site *out);

/* Remember a call site. Call begin before its frames are decoded, add for each frame, and then remember. Begin and add return false if this
 * call site cannot be remembered. */
bool call_site_begin(struct call_site *s, const struct code *c);
bool call_site_add(struct call_site *s, uint64_t frame);
void call_site_remember(uintptr_t pc, const struct call_site *s);

/* Forgets all call sites, because the ids of methods get new meanings. No handler may run. */
void call_sites_forget(void);

#endif
