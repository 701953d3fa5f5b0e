/* The whole public interface of Sonde. */
#ifndef SONDE_H
#define SONDE_H

#include "sonde/status.h"
#include "sonde/gen.h"
#include "sonde/gen_message.h"
#include "sonde/hli.h"
#include "sonde/image.h"
#include "sonde/source_lines.h"
#include "sonde/kernel.h"
#include "sonde/dependency.h"
#include "sonde/listing.h"
#include "sonde/vreg.h"
#include "sonde/procedure.h"
#include "sonde/factory.h"
#include "sonde/coder.h"
#include "sonde/instrument.h"
#include "sonde/record.h"
#include "sonde/trace.h"
#include "sonde/tool.h"

#endif
