/* Keeps hot/module.h's table in step with the libraries the process has loaded. The agent's thread only. */
#ifndef CANDOR_AGENT_SYMBOLIZE_MODULES_H
#define CANDOR_AGENT_SYMBOLIZE_MODULES_H

/* Cheap when nothing was loaded or unloaded since the last call. */
void modules_update(void);

#endif
