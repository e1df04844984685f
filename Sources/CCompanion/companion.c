// CCompanion is a header: what the preload library and its companions agree on.
#include "CCompanion.h"
