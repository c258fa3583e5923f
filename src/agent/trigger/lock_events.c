#include "agent/trigger/lock_events.h"

struct lock_events lock_events;
