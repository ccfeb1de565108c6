#include "num/float.h"
