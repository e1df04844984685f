#include "CLiveObjects.h"
