/* Layout A (Gen9): binds the generated field functions. */
#include "isa/gen/codec.h"

#include <string.h>

#include "layout_a.inc"
#define MOVI_HAS_INDEX false
#include "isa/gen/layout_a.h"
#include "isa/gen/layout_bind.h"

const struct isa_gen_layout isa_gen_layout_a = LAYOUT_FUNCTIONS;
