/* Describes, for the sender of a recording, the data in it that the store cannot query. The store still keeps the recording as it was
 * sent. */
#ifndef CANDOR_SERVER_LEFT_OUT_H
#define CANDOR_SERVER_LEFT_OUT_H

#include "store/store.h"

/* Adds a text to of->left_out. */
void left_out_add(struct store_profiles *of, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Describes the labels of samples that are not kept. */
void left_out_labels(struct store_profiles *of);

#endif
