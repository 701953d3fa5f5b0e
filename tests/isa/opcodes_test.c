/* Every opcode of every platform, assembled by libiga64 from text, so that
 * forms which no compiler emits are compared once as well: text, bytes, bytes
 * of the compacted form, and encoding from the fields alone. */
#include "oracle.h"

#include <stdio.h>
#include <string.h>

enum {
    GEN9 = 1,
    GEN11 = 2,
    XE = 4,
    XEHP = 8,
    XEHPG = 16,
    XEHPC = 32,
    EARLY = GEN9 | GEN11,
    UP_TO_XEHP = EARLY | XE | XEHP,
    UP_TO_XEHPG = UP_TO_XEHP | XEHPG,
    ALL = UP_TO_XEHPG | XEHPC,
    FROM_GEN11 = ALL & ~GEN9,
    LATE = ALL & ~EARLY,
    FROM_XEHP = LATE & ~XE,
    FROM_XEHPG = XEHPG | XEHPC,
};

static const struct {
    unsigned platforms;
    const char *text;
} samples[] = {
    {ALL, "illegal"},
    {ALL, "nop"},
    {ALL, "mov (8|M0) r1.0<1>:d r2.0<8;8,1>:d"},
    {ALL, "mov (8|M0) r1.0<1>:d r2.0<1;1,0>:d"},
    {GEN9, "movi (8|M0) r1.0<1>:uw r[a0.0]<8;8,1>:uw"},
    {FROM_GEN11, "movi (8|M0) r1.0<1>:uw r[a0.0]<8;8,1>:uw 0x5:uw"},
    {FROM_GEN11, "movi (8|M0) r1.0<1>:uw r[a0.0]<1;1,0>:uw null<0;1,0>:ud"},
    {FROM_GEN11, "movi (8|M0) r1.0<1>:uw r[a0.0]<1;1,0>:uw 0x5:uw"},
    {EARLY, "smov (8|M0) r1.0<1>:d r2.0<8;8,1>:d 0x15:uw"},
    {LATE, "sync.nop null"},
    {LATE, "sync.allrd null"},
    {LATE, "sync.allwr ($1,$3)"},
    {LATE, "sync.allrd ($0)"},
    {LATE, "sync.bar null"},
    {LATE, "sync.host null"},
    {XEHPC, "sync.fence null"},
    {FROM_GEN11, "ror (8|M0) r1.0<1>:ud r2.0<8;8,1>:ud r3.0<8;8,1>:ud"},
    {FROM_GEN11, "rol (8|M0) r1.0<1>:ud r2.0<1;1,0>:ud r3.0<0;1,0>:ud"},
    {ALL, "cmpn (8|M0) (lt)f0.0 null<1>:f r2.0<1;1,0>:f r3.0<0;1,0>:f"},
    {EARLY, "csel (8|M0) (gt)f0.0 r1.0<1>:f r2.0<2;1>:f r3.0<2;1>:f r4.0<1>:f"},
    {ALL, "csel (8|M0) (gt)f0.0 r1.0<1>:f r2.0<8;1>:f r3.0<8;1>:f r4.0<1>:f"},
    {LATE, "csel (8|M0) (gt)f0.0 r1.0<1>:f r2.0<1;0>:f r3.0<1;0>:f r4.0<1>:f"},
    {ALL, "bfrev (8|M0) r1.0<1>:ud r2.0<1;1,0>:ud"},
    {EARLY, "bfe (8|M0) r1.0<1>:d r2.0<2;1>:d r3.0<2;1>:d r4.0<1>:d"},
    {ALL, "bfe (8|M0) r1.0<1>:d r2.0<8;1>:d r3.0<8;1>:d r4.0<1>:d"},
    {LATE, "bfe (8|M0) r1.0<1>:d r2.0<1;0>:d r3.0<1;0>:d r4.0<1>:d"},
    {ALL, "bfi1 (8|M0) r1.0<1>:d r2.0<1;1,0>:d r3.0<0;1,0>:d"},
    {EARLY, "bfi2 (8|M0) r1.0<1>:d r2.0<2;1>:d r3.0<2;1>:d r4.0<1>:d"},
    {ALL, "bfi2 (8|M0) r1.0<1>:d r2.0<8;1>:d r3.0<8;1>:d r4.0<1>:d"},
    {LATE, "bfi2 (8|M0) r1.0<1>:d r2.0<1;0>:d r3.0<1;0>:d r4.0<1>:d"},
    {ALL, "L0:\n(W) jmpi L0"},
    {ALL, "(W) jmpi r2.0"},
    {ALL, "L0:\nbrd (16|M0) L0"},
    {ALL, "brd (16|M0) r2.0"},
    {ALL, "L0:\nbrc (16|M0) L0 L0"},
    {ALL, "brc (16|M0) r2.0"},
    {ALL, "L0:\n(f0.0) if (16|M0) L0 L0"},
    {ALL, "L0:\nelse (16|M0) L0 L0"},
    {ALL, "L0:\nendif (16|M0) L0"},
    {ALL, "L0:\nwhile (16|M0) L0"},
    {ALL, "L0:\nbreak (16|M0) L0 L0"},
    {ALL, "L0:\ncont (16|M0) L0 L0"},
    {ALL, "L0:\nhalt (16|M0) L0 L0"},
    {ALL, "L0:\ncalla (16|M0) r1.0 L0"},
    {ALL, "calla (16|M0) r1.0 r2.0"},
    {ALL, "L0:\ncall (16|M0) r1.0 L0"},
    {ALL, "call (16|M0) r1.0 r2.0"},
    {ALL, "ret (16|M0) r1.0"},
    {ALL, "L0:\ngoto (16|M0) L0 L0"},
    {ALL, "L0:\ngoto.b (16|M0) L0 L0"},
    {ALL, "L0:\n(f0.0) goto.b (16|M0) L0 L0"},
    {ALL, "L0:\nif.b (16|M0) L0 L0"},
    {ALL, "L0:\nelse.b (16|M0) L0 L0"},
    {ALL, "L0:\njoin (16|M0) L0"},
    {EARLY, "wait n0.0:ud"},
    {EARLY, "send (16|M0) r1 r2 0xC 0x02106E00"},
    {EARLY, "sendc (16|M0) r1 r2 0xC 0x02106E00"},
    {EARLY, "sends (16|M0) r1 r2 r3 0x8C 0x02106E00"},
    {EARLY, "sendsc (16|M0) r1 r2 r3 a0.2 a0.0"},
    {LATE, "send.dc1 (16|M0) r10 r20 null 0x0 0x04205E00"},
    {LATE, "sendc.dc1 (16|M0) r10 r20 r30 a0.2 a0.0"},
    {FROM_XEHPG, "send.ugm (16|M0) r10 r20 null:0 0x0 0x08200580"},
    {FROM_XEHPG, "sendc.ugm (16|M0) r10 r20 null:0 0x0 0x08200580"},
    {ALL, "math.inv (8|M0) r1.0<1>:f r2.0<1;1,0>:f"},
    {ALL, "math.log (8|M0) r1.0<1>:f r2.0<1;1,0>:f"},
    {ALL, "math.exp (8|M0) r1.0<1>:f r2.0<1;1,0>:f"},
    {ALL, "math.sqt (8|M0) r1.0<1>:f r2.0<1;1,0>:f"},
    {ALL, "math.rsqt (8|M0) r1.0<1>:f r2.0<1;1,0>:f"},
    {ALL, "math.sin (8|M0) r1.0<1>:f r2.0<1;1,0>:f"},
    {ALL, "math.cos (8|M0) r1.0<1>:f r2.0<1;1,0>:f"},
    {EARLY, "math.fdiv (8|M0) r1.0<1>:f r2.0<1;1,0>:f r3.0<1;1,0>:f"},
    {EARLY, "math.pow (8|M0) r1.0<1>:f r2.0<1;1,0>:f r3.0<1;1,0>:f"},
    {UP_TO_XEHP, "math.idiv (8|M0) r1.0<1>:d r2.0<1;1,0>:d r3.0<1;1,0>:d"},
    {UP_TO_XEHP, "math.iqot (8|M0) r1.0<1>:d r2.0<1;1,0>:d r3.0<1;1,0>:d"},
    {UP_TO_XEHP, "math.irem (8|M0) r1.0<1>:d r2.0<1;1,0>:d r3.0<1;1,0>:d"},
    {ALL, "math.invm (8|M0) (eo)f0.0 r1.mme0:f r2.nomme:f r3.mme1:f"},
    {ALL, "math.rsqtm (8|M0) (eo)f1.0 r1.mme7:f r2.nomme:f"},
    {ALL, "add (8|M0) r1.0<1>:d r2.0<1;1,0>:d r3.0<1;1,0>:d"},
    {ALL, "mul (8|M0) r1.0<1>:f r2.0<1;1,0>:f r3.0<1;1,0>:f"},
    {ALL, "avg (8|M0) r1.0<1>:ud r2.0<1;1,0>:ud r3.0<1;1,0>:ud"},
    {ALL, "frc (8|M0) r1.0<1>:f r2.0<1;1,0>:f"},
    {ALL, "rndu (8|M0) r1.0<1>:f r2.0<1;1,0>:f"},
    {ALL, "rndd (8|M0) r1.0<1>:f r2.0<1;1,0>:f"},
    {ALL, "rnde (8|M0) r1.0<1>:f r2.0<1;1,0>:f"},
    {ALL, "rndz (8|M0) r1.0<1>:f r2.0<1;1,0>:f"},
    {ALL, "mac (8|M0) r1.0<1>:f r2.0<1;1,0>:f r3.0<1;1,0>:f"},
    {UP_TO_XEHPG, "mach (8|M0) r1.0<1>:d r2.0<1;1,0>:d r3.0<1;1,0>:d {AccWrEn}"},
    {ALL, "mach (8|M0) r1.0<1>:d r2.0<1;1,0>:d r3.0<1;1,0>:d"},
    {XEHPC, "macl (16|M0) r1.0<1>:d r2.0<1;1,0>:d r3.0<1;1,0>:d"},
    {ALL, "lzd (8|M0) r1.0<1>:ud r2.0<1;1,0>:ud"},
    {ALL, "fbh (8|M0) r1.0<1>:ud r2.0<1;1,0>:d"},
    {ALL, "fbl (8|M0) r1.0<1>:ud r2.0<1;1,0>:ud"},
    {ALL, "cbit (8|M0) r1.0<1>:ud r2.0<1;1,0>:ub"},
    {UP_TO_XEHPG, "addc (8|M0) r1.0<1>:ud r2.0<1;1,0>:ud r3.0<1;1,0>:ud {AccWrEn}"},
    {UP_TO_XEHPG, "subb (8|M0) r1.0<1>:ud r2.0<1;1,0>:ud r3.0<1;1,0>:ud {AccWrEn}"},
    {ALL, "addc (8|M0) r1.0<1>:ud r2.0<1;1,0>:ud r3.0<1;1,0>:ud"},
    {ALL, "subb (8|M0) r1.0<1>:ud r2.0<1;1,0>:ud r3.0<1;1,0>:ud"},
    {GEN9, "sad2 (8|M0) r1.0<1>:w r2.0<8;8,1>:b r3.0<8;8,1>:b"},
    {GEN9, "sada2 (8|M0) r1.0<1>:w r2.0<8;8,1>:b r3.0<8;8,1>:b"},
    {FROM_XEHP, "add3 (8|M0) r1.0<1>:d r2.0<1;0>:d r3.0<1;0>:d r4.0<1>:d"},
    {GEN9, "dp4 (8|M0) r1.0<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f"},
    {GEN9, "dph (8|M0) r1.0<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f"},
    {GEN9, "dp3 (8|M0) r1.0<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f"},
    {GEN9, "dp2 (8|M0) r1.0<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f"},
    {GEN9, "line (8|M0) r1.0<1>:f r2.0<0;1,0>:f r3.0<8;8,1>:f"},
    {GEN9, "pln (8|M0) r1.0<1>:f r2.0<0;1,0>:f r3.0<8;8,1>:f"},
    {GEN9, "lrp (8|M0) r1.0<1>:f r2.0<2;1>:f r3.0<2;1>:f r4.0<1>:f"},
    {XEHPC, "srnd (16|M0) r1.0<1>:hf r2.0<1;1,0>:f r3.0<1;1,0>:f"},
    {LATE, "dp4a (8|M0) r1.0<1>:d r2.0<1;0>:d r3.0<1;0>:d r4.0<1>:d"},
    {FROM_XEHP, "dpas.8x8 (8|M0) r10:d null:d r20:ub r30.0:s4"},
    {FROM_XEHP, "dpas.8x8 (16|M0) r10:f null:f r20:bf r30.0:bf"},
    {XEHP | XEHPG, "dpasw.8x8 (8|M0) r10:d null:d r20:ub r30.0:s4"},
    {EARLY, "mad (8|M0) r1.0<1>:f r2.0<2;1>:f r3.0<2;1>:f r4.0<1>:f"},
    {ALL, "mad (8|M0) r1.0<1>:f r2.0<8;1>:f r3.0<8;1>:f r4.0<1>:f"},
    {LATE, "mad (8|M0) r1.0<1>:f r2.0<1;0>:f r3.0<1;0>:f r4.0<1>:f"},
    {ALL & ~XE, "madm (8|M0) r1.mme0:f r2.nomme:f r3.mme1:f r4.mme2:f"},
    {ALL & ~XE, "madm (4|M0) r1.mme0:df r2.nomme:df r3.mme1:df r4.mme2:df"},
    {FROM_XEHP, "bfn.0xCA (8|M0) r1.0<1>:ud r2.0<1;0>:ud r3.0<1;0>:ud r4.0<1>:ud"},
    {ALL, "sel (8|M0) (lt)f0.0 r1.0<1>:f r2.0<1;1,0>:f r3.0<0;1,0>:f"},
    {ALL, "(f0.0) sel (8|M0) r1.0<1>:f r2.0<1;1,0>:f r3.0<0;1,0>:f"},
    {ALL, "not (8|M0) r1.0<1>:ud ~r2.0<1;1,0>:ud"},
    {ALL, "and (8|M0) r1.0<1>:ud ~r2.0<1;1,0>:ud r3.0<1;1,0>:ud"},
    {ALL, "or (8|M0) r1.0<1>:ud r2.0<1;1,0>:ud ~r3.0<1;1,0>:ud"},
    {ALL, "xor (8|M0) (ne)f0.1 r1.0<1>:ud r2.0<1;1,0>:ud r3.0<1;1,0>:ud"},
    {ALL, "shr (8|M0) r1.0<1>:ud r2.0<1;1,0>:ud 0x5:uw"},
    {ALL, "shl (8|M0) r1.0<1>:ud r2.0<1;1,0>:ud 0x5:uw"},
    {ALL, "asr (8|M0) r1.0<1>:d r2.0<1;1,0>:d 0x5:uw"},
    {ALL, "cmp (8|M0) (un)f1.1 null<1>:f r2.0<1;1,0>:f (abs)r3.0<0;1,0>:f"},
    {ALL, "add (8|M0) r1.0<1>:d r2.0<8;8,1>:d 0x12:d"},
    {ALL, "add (8|M0) r1.0<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f"},
    {ALL, "mov (16|M0) r1.0<1>:f r2.0<8;8,1>:f"},
    {ALL, "mov (8|M0) r1.0<1>:d 0x7:d"},
    {ALL, "mov (8|M0) r[a0.0,32]<1>:d r[a0.1,-64]<8;8,1>:d"},
    {ALL, "mov (4|M0) r1.0<1>:df 1.5:df"},
    {ALL, "mov (4|M0) r1.0<1>:f 0x30407060:vf"},
    {FROM_GEN11, "mad (8|M0) acc0.0<1>:f r2.0<8;1>:f acc0.0<8;1>:f r4.0<1>:f"},
    {FROM_GEN11, "mad (8|M0) r1.0<2>:d 0x1234:w r3.0<4;2>:w 0x4321:uw"},
    {FROM_GEN11, "csel (8|M0) (le)f1.1 r1.0<1>:w r2.0<8;1>:w r3.0<8;1>:w r4.0<0>:w"},
    {UP_TO_XEHPG, "L0:\n(W&~f0.1.any8h) jmpi L0"},
    {UP_TO_XEHPG, "L0:\n(f0.0.all16h) while (16|M0) L0"},
    {UP_TO_XEHPG, "(f1.0.any32h) ret (32|M0) r1.0"},
    {UP_TO_XEHPG, "(f0.1.any16h) mov (16|M0) r1.0<1>:d r2.0<0;1,0>:d"},
    {UP_TO_XEHPG, "(W&f0.0.anyv) mov (16|M16) r1.0<1>:d r2.0<0;1,0>:d {Atomic}"},
    {ALL, "mov (8|M0) r1.0<1>:d r2.0<0;1,0>:d {Breakpoint}"},
    {GEN11, "mov (8|M0) r1.0<1>:d r2.0<0;1,0>:d {NoPreempt}"},
    {EARLY, "mov (8|M0) r1.0<1>:d r2.0<0;1,0>:d {NoDDChk,NoDDClr,Switch}"},
    {ALL, "mov (8|M0) (ov)f0.0 (sat)r1.0<2>:ub -r2.0<0;1,0>:d"},
    {EARLY, "send (16|M0) r1 r2 0x27 a0.0 {EOT}"},
    {EARLY, "sends (8|M0) null r2 r3 a0.4 0x02106E00"},
    {EARLY, "sendsc (16|M0) r1 r2 r3 0x8C 0x02106E00"},
    {ALL, "mov (8|M0) r1.0<1>:ud r2.0<8;8,1>:ud"},
    {ALL, "mov (16|M0) r1.0<1>:f 0x0:f"},
    {ALL, "mul (8|M0) r1.0<1>:f r2.0<8;8,1>:f r3.0<0;1,0>:f"},
    {ALL, "mul (16|M0) r1.0<1>:f r2.0<8;8,1>:f 0x3F800000:f"},
    {ALL, "add (16|M0) r1.0<1>:d r2.0<8;8,1>:d -5:d"},
    {ALL, "and (16|M0) r1.0<1>:ud r2.0<8;8,1>:ud r3.0<8;8,1>:ud"},
    {ALL, "shl (16|M0) r1.0<1>:d r2.0<8;8,1>:d 0x2:d"},
    {ALL, "sel (16|M0) (lt)f0.0 r1.0<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f"},
    {ALL, "(W) mov (1|M0) r1.0<1>:ud 0x7F:ud"},
    {ALL, "(W) add (1|M0) r1.0<1>:d r2.0<0;1,0>:d 0x10:d"},
    {ALL, "(W) or (1|M0) r1.0<1>:ud r2.0<0;1,0>:ud 0x1F:ud"},
    {ALL, "cmp (8|M0) (gt)f0.0 null<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f"},
    {ALL, "math.sqt (8|M0) r1.0<1>:f r2.0<8;8,1>:f"},
    {ALL, "rndd (8|M0) r1.0<1>:f r2.0<8;8,1>:f"},
    {ALL, "avg (8|M0) r1.0<1>:d r2.0<8;8,1>:d r3.0<8;8,1>:d"},
};

struct tally {
    bool seen[SONDE_GEN_OPCODE_COUNT];
    size_t texts, compacted, bad;
};

static void complain(struct tally *tally, enum sonde_gen_platform platform, const char *text,
                     const char *what)
{
    tally->bad++;
    printf("%s: %s: %s\n", sonde_gen_platform_name(platform), text, what);
}

/* The fields without the word that they came from. */
static bool encodes_from_fields(const struct sonde_gen_instruction *i)
{
    struct sonde_gen_instruction fresh = *i, again;
    uint8_t bytes[16];
    char before[1024], after[1024];
    fresh.raw[0] = fresh.raw[1] = 0;
    if (sonde_gen_encode(&fresh, bytes, NULL) != SONDE_OK ||
        sonde_gen_decode((enum sonde_gen_platform)i->platform, bytes, 16, 0, &again, NULL) !=
            SONDE_OK)
        return false;
    sonde_gen_print(i, NULL, NULL, before, sizeof before);
    sonde_gen_print(&again, NULL, NULL, after, sizeof after);
    return strcmp(before, after) == 0;
}

/* libiga64 compacts what it can: the same 8 bytes have to come from the native word. */
static void check_compaction(struct oracle *oracle, const struct sonde_gen_instruction *i,
                             const char *text, struct tally *tally)
{
    size_t size = 0;
    uint8_t bytes[8];
    const uint8_t *code = iga_assemble(oracle->iga, text, IGA_ENCODE_COMPACT, &size);
    if (code == NULL || size != 8)
        return;
    tally->compacted++;
    if (sonde_gen_compact(i, bytes, NULL) != SONDE_OK || memcmp(bytes, code, 8) != 0)
        complain(tally, oracle->platform, text, "compacts otherwise");
    uint8_t copy[8];
    memcpy(copy, code, sizeof copy);
    if (!oracle_compare(oracle, text, copy, sizeof copy))
        tally->bad++;
}

static void check(struct oracle *oracle, const char *text, struct tally *tally)
{
    char line[256];
    uint8_t code[16];
    size_t size = 0;
    struct sonde_gen_instruction i;
    snprintf(line, sizeof line, "%s\n", text);
    const uint8_t *assembled = iga_assemble(oracle->iga, line, IGA_ENCODE_NO_COMPACT, &size);
    if (assembled == NULL || size != sizeof code) {
        complain(tally, oracle->platform, text, "iga64 does not assemble it");
        return;
    }
    memcpy(code, assembled, sizeof code);
    tally->texts++;
    if (!oracle_compare(oracle, text, code, sizeof code) ||
        sonde_gen_decode(oracle->platform, code, sizeof code, 0, &i, NULL) != SONDE_OK) {
        complain(tally, oracle->platform, text, "not decoded");
        return;
    }
    tally->seen[i.opcode] = true;
    if (i.illegal)
        return;
    if (!encodes_from_fields(&i))
        complain(tally, oracle->platform, text, "the fields alone encode otherwise");
    check_compaction(oracle, &i, line, tally);
}

static bool run(enum sonde_gen_platform platform)
{
    struct oracle oracle = {
        .iga = iga_open_platform(platform), .platform = platform, .show_limit = 40};
    struct tally tally = {.texts = 0};
    for (size_t n = 0; n < sizeof samples / sizeof samples[0]; n++) {
        if ((samples[n].platforms & 1u << platform) != 0)
            check(&oracle, samples[n].text, &tally);
    }
    size_t opcodes = 0;
    for (unsigned n = 0; n < SONDE_GEN_OPCODE_COUNT; n++) {
        enum sonde_gen_opcode opcode = (enum sonde_gen_opcode)n;
        opcodes += sonde_gen_opcode_exists(opcode, platform);
        if (sonde_gen_opcode_exists(opcode, platform) && !tally.seen[n])
            complain(&tally, platform, sonde_gen_opcode_mnemonic(opcode), "no text has it");
    }
    /* `illegal` itself is refused by both. */
    printf("%s: all %zu opcodes in %zu texts, %zu of them compacted too: %zu texts differ, %zu "
           "bytes differ, %zu complaints\n",
           sonde_gen_platform_name(platform), opcodes, tally.texts, tally.compacted,
           oracle.different, oracle.changed, tally.bad);
    iga_close(oracle.iga);
    return oracle.different + oracle.changed + tally.bad == 0 && tally.texts > 60 &&
           tally.compacted > 10 && oracle.refused_by_iga <= 1 && oracle.refused_by_us <= 1;
}

int main(void)
{
    struct iga *iga = iga_open();
    if (iga == NULL) {
        printf("libiga64.so.1 is not installed\n");
        return 77;
    }
    iga_close(iga);
    bool good = true;
    for (int platform = 0; platform < SONDE_GEN_PLATFORM_COUNT; platform++)
        good = run((enum sonde_gen_platform)platform) && good;
    return good ? 0 : 1;
}
