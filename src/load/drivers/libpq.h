/* libpq, loaded when it is first needed, so that candor also runs where it is not installed. */
#ifndef CANDOR_LOAD_DRIVERS_LIBPQ_H
#define CANDOR_LOAD_DRIVERS_LIBPQ_H

#include "base/error.h"

#include <libpq-fe.h>

#define LIBPQ_FUNCTIONS(X)                                                                                                                 \
    X(PQconnectStartParams)                                                                                                                \
    X(PQconnectPoll)                                                                                                                       \
    X(PQstatus)                                                                                                                            \
    X(PQsocket)                                                                                                                            \
    X(PQfinish)                                                                                                                            \
    X(PQerrorMessage)                                                                                                                      \
    X(PQsetnonblocking)                                                                                                                    \
    X(PQenterPipelineMode)                                                                                                                 \
    X(PQsendPrepare)                                                                                                                       \
    X(PQsendQueryParams)                                                                                                                   \
    X(PQsendQueryPrepared)                                                                                                                 \
    X(PQpipelineSync)                                                                                                                      \
    X(PQflush)                                                                                                                             \
    X(PQconsumeInput)                                                                                                                      \
    X(PQisBusy)                                                                                                                            \
    X(PQgetResult)                                                                                                                         \
    X(PQresultStatus)                                                                                                                      \
    X(PQresultErrorField)                                                                                                                  \
    X(PQntuples)                                                                                                                           \
    X(PQnfields)                                                                                                                           \
    X(PQgetvalue)                                                                                                                          \
    X(PQgetlength)                                                                                                                         \
    X(PQclear)                                                                                                                             \
    X(PQcmdTuples)

struct libpq {
#define LIBPQ_MEMBER(name) __typeof__(&name) name;
    LIBPQ_FUNCTIONS(LIBPQ_MEMBER)
#undef LIBPQ_MEMBER
};

/* Fills the table. The library stays loaded. Returns 0 or a negative code with e. */
int libpq_load(struct libpq *pq, struct error *e);

#endif
