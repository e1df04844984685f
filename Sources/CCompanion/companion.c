// companion.c - empty: CCompanion is a header, the interface of the preload library and its
// companions.
#include "CCompanion.h"
