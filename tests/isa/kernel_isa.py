"""Compile OpenCL C with ocloc and take the ISA of each kernel out of the
patch-token device binary. For tests; independent of Sonde's own reader."""
import os
import shutil
import struct
import subprocess
import tempfile

PROGRAM_MAGIC = 0x494E5443


def device_binary(elf):
    """The section that holds the patch-token binary of an ELF64 file."""
    offset, = struct.unpack_from("<Q", elf, 0x28)
    size, count = struct.unpack_from("<HH", elf, 0x3A)
    for n in range(count):
        kind, = struct.unpack_from("<I", elf, offset + n * size + 4)
        where, length = struct.unpack_from("<QQ", elf, offset + n * size + 0x18)
        if kind == 0xFF000005:
            return elf[where:where + length]
    raise ValueError("no device binary in the ELF file")


def kernels(binary):
    """[(name, ISA bytes without padding)] of a patch-token binary."""
    magic, _, _, _, count, _, patches = struct.unpack_from("<7I", binary, 0)
    if magic != PROGRAM_MAGIC:
        raise ValueError("not a patch-token binary")
    at, out = 28 + patches, []
    for _ in range(count):
        fields = struct.unpack_from("<IQ7I", binary, at)
        name_size, patch_size, heap, general, dynamic, surface, unpadded = fields[2:]
        at += 40
        name = binary[at:at + name_size].rstrip(b"\0").decode()
        at += name_size
        out.append((name, binary[at:at + unpadded]))
        at += heap + general + dynamic + surface + patch_size
    return out


def compile_kernels(sources, options="", device="skl"):
    """{file: [(kernel, ISA)]}; a file that does not compile gives its log."""
    ocloc = shutil.which("ocloc")
    if ocloc is None:
        return None
    out = {}
    for source in sources:
        with tempfile.TemporaryDirectory() as folder:
            command = [ocloc, "compile", "-file", source, "-device", device, "-out_dir", folder]
            done = subprocess.run(command + (["-options", options] if options else []),
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            files = [f for f in os.listdir(folder) if f.endswith(".bin")]
            if done.returncode != 0 or not files:
                out[source] = done.stdout.decode(errors="replace")
                continue
            with open(os.path.join(folder, files[0]), "rb") as text:
                out[source] = kernels(device_binary(text.read()))
    return out
