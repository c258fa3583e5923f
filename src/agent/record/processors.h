/* Finds how many processors this process may use: those on which its threads may run, or fewer if its control group has a quota. */
#ifndef CANDOR_AGENT_RECORD_PROCESSORS_H
#define CANDOR_AGENT_RECORD_PROCESSORS_H

double processors_usable(void);

#endif
