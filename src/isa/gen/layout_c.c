/* Layout C (XeHPC): binds the generated field functions. */
#include "isa/gen/codec.h"

#include <string.h>

#include "layout_c.inc"
#include "isa/gen/layout_bc.h"
#include "isa/gen/layout_bind.h"

const struct isa_gen_layout isa_gen_layout_c = LAYOUT_FUNCTIONS;
