/* Finds functions in libjvm's own tables of native methods. The JVM registers some of its native methods from tables of JNINativeMethod
 * (name, signature, function). These tables are in libjvm even if it has no symbols. Used once, when the agent is loaded. */
#ifndef CANDOR_AGENT_HOTSPOT_NATIVE_METHODS_H
#define CANDOR_AGENT_HOTSPOT_NATIVE_METHODS_H

#include <stdint.h>

/* Returns the function of the native method with this name and signature, in the library that contains the address `in_library`.
 * NULL: there is none. */
void *native_methods_find(uintptr_t in_library, const char *name, const char *signature);

#endif
