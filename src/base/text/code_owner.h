/* Who wrote a method, judged by the name of its class: tables of packages. Code of classes in none of these packages is the program's
 * own. */
#ifndef CANDOR_BASE_TEXT_CODE_OWNER_H
#define CANDOR_BASE_TEXT_CODE_OWNER_H

#include <stdint.h>

/* The nearer to the reader's own code, the lower. PLUMBING: methods of the JDK in which threads wait, whoever calls them. */
enum code_owner { CODE_OF_PROGRAM, CODE_OF_LIBRARY, CODE_OF_JDK, CODE_OF_PLUMBING };

enum { CODE_OWNER_LIBRARIES = 55 };

/* class_name: "org.h2.Driver". */
enum code_owner code_owner(const char *class_name, const char *method);
/* The known library that the class is part of; CODE_OWNER_LIBRARIES = none. */
uint32_t code_owner_library(const char *class_name);
/* Its package, with a dot at its end. */
const char *code_owner_library_package(uint32_t library);

#endif
