/* How many processors this process may use: those that its threads may run on, or fewer where its control group has a quota. */
#ifndef CANDOR_AGENT_RECORD_PROCESSORS_H
#define CANDOR_AGENT_RECORD_PROCESSORS_H

double processors_usable(void);

#endif
