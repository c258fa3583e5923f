/* A profile with other stacks, for other trees of the same samples: from the innermost frame outwards, or from one method on.
 *
 *     main > run > hot > copy            REROOT_BOTTOM_UP   copy > hot > run > main
 *                                        callees of run     run > hot > copy        from its outermost frame on
 *                                        callers of hot     hot > run > main        from its innermost frame on
 *
 * The view borrows strings, frames and threads of the profile, which must not change; it leaves out samples without the method. */
#ifndef CANDOR_PROFILE_FIGURES_REROOT_H
#define CANDOR_PROFILE_FIGURES_REROOT_H

#include "profile/profile.h"
#include "regex/regex.h"

enum reroot { REROOT_BOTTOM_UP, REROOT_CALLEES, REROOT_CALLERS };

enum { REROOT_DEPTH_MAX = 256 }; /* of stacks that are turned round; what lies further out is not in the view */

/* method is not looked at for REROOT_BOTTOM_UP. 0 or -ENOMEM; the view is to be deinitialized in both cases. */
int reroot_init(struct profile *view, const struct profile *p, enum reroot how, const struct regex *method);
/* The same for the one method of that label. */
int reroot_init_label(struct profile *view, const struct profile *p, enum reroot how, uint32_t label);
void reroot_deinit(struct profile *view);

#endif
