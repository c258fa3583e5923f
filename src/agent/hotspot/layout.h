/* Fills hot/layout.h's table from the JVM's exported tables. */
#ifndef CANDOR_AGENT_HOTSPOT_LAYOUT_H
#define CANDOR_AGENT_HOTSPOT_LAYOUT_H

#include <stdbool.h>

/* Fills the table. Call it after VMInit, when the code heaps exist. libjvm: a dlopen handle. java_version: the feature release. Returns
 * vm_layout.usable; if that is false, vm_layout.missing names what the tables lack. */
bool layout_fill(void *libjvm, int java_version);

#endif
