/* Prints numbers of an event with their units, for users. */
#ifndef CANDOR_EVENTS_AS_TEXT_NUMBER_H
#define CANDOR_EVENTS_AS_TEXT_NUMBER_H

#include "jfr/read/reader.h"

#include <stdio.h>

/* Prints a number. The field f gives its unit. exact: with all digits. */
void as_text_number(FILE *out, struct jfr_value v, const struct jfr_field *f, bool exact);

#endif
