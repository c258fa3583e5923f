/* Adds and reads labels of samples: a key, and a text or a number with a unit. */
#ifndef CANDOR_FORMAT_LABEL_H
#define CANDOR_FORMAT_LABEL_H

#include "format/system_name.h"
#include "profile/profile.h"

/* Add a label to the set *labels. A label without a key or a text is ignored. Return 0 or -ENOMEM. */
int label_text(struct profile *p, struct system_name_text key, struct system_name_text value, uint32_t *labels);
int label_number(struct profile *p, struct system_name_text key, int64_t number, struct system_name_text unit, uint32_t *labels);
/* Returns the number in a label. */
int64_t label_number_of(const struct profile *p, const struct profile_label *l);

#endif
