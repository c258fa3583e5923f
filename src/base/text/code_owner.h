/* Finds out whose code a method is (the program's, a library's or the JDK's) from the name of its class. Tables list the packages of
 * libraries and of the JDK. A class in none of them belongs to the program. */
#ifndef CANDOR_BASE_TEXT_CODE_OWNER_H
#define CANDOR_BASE_TEXT_CODE_OWNER_H

#include <stdint.h>

/* The owners, beginning with the one nearest to the reader's own code. PLUMBING: methods of the JDK in which threads wait, whatever code
 * calls them. */
enum code_owner { CODE_OF_PROGRAM, CODE_OF_LIBRARY, CODE_OF_JDK, CODE_OF_PLUMBING };

enum { CODE_OWNER_LIBRARIES = 69 };

/* Returns the owner of a method. class_name is written with dots: "org.h2.Driver". */
enum code_owner code_owner(const char *class_name, const char *method);
/* Returns the index of the known library that the class is part of; CODE_OWNER_LIBRARIES = none. */
uint32_t code_owner_library(const char *class_name);
/* Returns the beginning of the library's class names: its package, with a dot at the end. */
const char *code_owner_library_package(uint32_t library);

#endif
