/* Computes readable names of C++ functions. It reverses the mangling of the Itanium C++ ABI, which gcc and clang use. The result is what
 * `c++filt -p` prints: the qualified name with template arguments, without return type and parameters.
 *
 *     _ZN10JavaThread3runEv               JavaThread::run
 *     _ZN11MemAllocator8allocateEv.cold   MemAllocator::allocate
 *     _ZThn8_N1A1fEi                      non-virtual thunk to A::f
 *
 * Unlike c++filt it leaves the parameters out everywhere except in the name of an enclosing function: also after "thunk to" and in template
 * arguments (&f, where c++filt writes &(f(int))).
 *
 * Text after the name is not read, so the marks of a compiler's clones (.cold, .part.0, .isra.0, .constprop.0) are dropped with the
 * parameters: a clone has its function's name. Names that are not C++ stay whole, including marks. */
#ifndef CANDOR_AGENT_SYMBOLIZE_DEMANGLE_H
#define CANDOR_AGENT_SYMBOLIZE_DEMANGLE_H

#include "agent/symbolize/tree.h"

#include <stdbool.h>
#include <stddef.h>

enum { DEMANGLE_NODES = 512, DEMANGLE_SUBSTITUTIONS = 256 };

/* The working memory, some 30 KB. It needs no initialization. */
struct demangle {
    const char *at;         /* the next byte of the symbol; after a failure it is at the end, so that every loop ends */
    struct tree *arguments; /* of the template whose signature is being read: T_ refers to them */
    struct tree *forward;   /* a T_ in a conversion's name, before its arguments are known */
    unsigned depth;
    unsigned qualifiers; /* of the member function that was named last */
    bool converting;     /* inside a conversion's name */
    bool failed;
    unsigned nodes, substitutions;
    struct tree node[DEMANGLE_NODES];
    struct tree *substitution[DEMANGLE_SUBSTITUTIONS];
};

/* Writes the readable name of a symbol, cut to size - 1 bytes and terminated. If the symbol is not a C++ name, or is nested too deeply, it
 * writes the symbol itself and returns false. The symbol may be any bytes: time and memory are bounded. */
bool demangle(struct demangle *d, const char *symbol, char *out, size_t size);

#endif
