/* Readable names of C++ functions: the mangling of the Itanium C++ ABI, as gcc and clang write it, turned back into what
 * `c++filt -p` prints: the qualified name with template arguments, without return type and parameters.
 *
 *     _ZN10JavaThread3runEv               JavaThread::run
 *     _ZN11MemAllocator8allocateEv.cold   MemAllocator::allocate
 *     _ZThn8_N1A1fEi                      non-virtual thunk to A::f
 *
 * Unlike c++filt it leaves the parameters out everywhere except in the name of an enclosing function: also after "thunk to" and
 * in template arguments (&f, where c++filt writes &(f(int))).
 *
 * Text after the name is not read, so the marks of a compiler's clones (.cold, .part.0, .isra.0, .constprop.0) are dropped with
 * the parameters: a clone has its function's name. Names that are not C++ stay whole, including marks. */
#ifndef CANDOR_AGENT_SYMBOLIZE_DEMANGLE_H
#define CANDOR_AGENT_SYMBOLIZE_DEMANGLE_H

#include "agent/symbolize/tree.h"

#include <stdbool.h>
#include <stddef.h>

enum { DEMANGLE_NODES = 512, DEMANGLE_SUBSTITUTIONS = 256 };

/* Room for the work, some 30 KB; whatever it holds before and after. */
struct demangle {
    const char *at;         /* the next byte of the symbol; at its end after a failure, so that every loop ends */
    struct tree *arguments; /* of the template whose signature is being read: what T_ means */
    struct tree *forward;   /* a T_ in a conversion's name, whose arguments follow it */
    unsigned depth;
    unsigned qualifiers; /* of the member function named last */
    bool converting;     /* inside a conversion's name */
    bool failed;
    unsigned nodes, substitutions;
    struct tree node[DEMANGLE_NODES];
    struct tree *substitution[DEMANGLE_SUBSTITUTIONS];
};

/* Writes the readable name of a symbol, cut to size - 1 bytes and terminated; the symbol itself, and false, when it is
 * not one of C++ or is nested beyond all reason. Any bytes may be asked for; time and memory are bounded. */
bool demangle(struct demangle *d, const char *symbol, char *out, size_t size);

#endif
