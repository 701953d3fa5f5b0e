/* Layout A of Gen11: binds the generated field functions. */
#include "isa/gen/codec.h"

#include <string.h>

#include "layout_a11.inc"
#define MOVI_HAS_INDEX true
#include "isa/gen/layout_a.h"
#include "isa/gen/layout_bind.h"

const struct isa_gen_layout isa_gen_layout_a11 = LAYOUT_FUNCTIONS;
