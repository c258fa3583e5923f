/* Makes a view of a profile with other stacks, for other trees of the same samples: from the innermost frame outwards, or from one
 * method on.
 *
 *     main > run > hot > copy            REROOT_BOTTOM_UP   copy > hot > run > main
 *                                        callees of run     run > hot > copy        from its outermost frame on
 *                                        callers of hot     hot > run > main        from its innermost frame on
 *
 * The view borrows strings, frames and threads of the profile, which must not change. The view leaves out samples without the method. */
#ifndef CANDOR_PROFILE_FIGURES_REROOT_H
#define CANDOR_PROFILE_FIGURES_REROOT_H

#include "profile/profile.h"
#include "regex/regex.h"

enum reroot { REROOT_BOTTOM_UP, REROOT_CALLEES, REROOT_CALLERS };

enum { REROOT_DEPTH_MAX = 256 }; /* the number of frames of a reversed stack; frames further out are left out */

/* Makes the view for the methods that match a pattern. For REROOT_BOTTOM_UP the pattern is not used. Returns 0 or -ENOMEM. Call
 * reroot_deinit in both cases. */
int reroot_init(struct profile *view, const struct profile *p, enum reroot how, const struct regex *method);
/* Makes the view for the one method with that label. */
int reroot_init_label(struct profile *view, const struct profile *p, enum reroot how, uint32_t label);
void reroot_deinit(struct profile *view);

#endif
