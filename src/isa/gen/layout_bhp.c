/* Layout B with the compaction tables of XeHP and XeHPG: binds the generated
 * field functions. */
#include "isa/gen/codec.h"

#include <string.h>

#include "layout_bhp.inc"
#include "isa/gen/layout_bc.h"
#include "isa/gen/layout_bind.h"

const struct isa_gen_layout isa_gen_layout_bhp = LAYOUT_FUNCTIONS;
