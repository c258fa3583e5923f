/* Names without the parts that differ in each run: the address or number in the name of a class that the JVM or a library
 * generates at run time, and the unique part of an unpacked library's file name. They are replaced by a `*`, because no
 * name in a program contains that character.
 *
 *   Shop$$Lambda.0x000070a1c8003400, Shop$$Lambda$14/0x0000000800c03000, Shop$$Lambda$1/1234567890       Shop$$Lambda*
 *   java.lang.invoke.LambdaForm$MH/0x0000000800c03000                      java.lang.invoke.LambdaForm$MH*
 *   jdk.internal.reflect.GeneratedMethodAccessor12                         jdk.internal.reflect.GeneratedMethodAccessor*
 *   jdk.proxy2.$Proxy12                                                    jdk.proxy*.$Proxy*
 *   Shop$$EnhancerBySpringCGLIB$$1a2b3c4d                                  Shop$$EnhancerBySpringCGLIB$$*
 *   libsnappy-1.1.10-<UUID>-libsnappyjava.so                               libsnappy-1.1.10-*-libsnappyjava.so
 *   librocksdbjni5120839182312345678.so (deleted)                          librocksdbjni*.so
 *
 * Numbers that distinguish the program's own code stay: anonymous classes (Shop$1), bodies of lambdas (lambda$main$0), versions
 * (libc.so.6). The table in stable_name.c lists the known generators of classes. A recording has the full names. */
#ifndef CANDOR_BASE_TEXT_STABLE_NAME_H
#define CANDOR_BASE_TEXT_STABLE_NAME_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>

/* Appends the stable name of a class, or a text that contains names of classes. */
void stable_name_put(struct buffer *out, const char *text, size_t len);
/* Appends the stable name of a library's file, or a text that contains one: "[libx.so+0x1190]". */
void stable_name_put_library(struct buffer *out, const char *text, size_t len);

#endif
