/* Describes, for the sender of a recording, the data in it that the store cannot query. The stored recording itself has all of it. */
#ifndef CANDOR_SERVER_LEFT_OUT_H
#define CANDOR_SERVER_LEFT_OUT_H

#include "store/store.h"

/* Adds to of->left_out. */
void left_out_add(struct store_profiles *of, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The labels of samples. */
void left_out_labels(struct store_profiles *of);

#endif
