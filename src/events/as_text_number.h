/* Numbers of an event with their units, for people. */
#ifndef CANDOR_EVENTS_AS_TEXT_NUMBER_H
#define CANDOR_EVENTS_AS_TEXT_NUMBER_H

#include "jfr/read/reader.h"

#include <stdio.h>

/* Prints a value of a number type. f gives its unit. */
void as_text_number(FILE *out, struct jfr_value v, const struct jfr_field *f, bool exact);

#endif
