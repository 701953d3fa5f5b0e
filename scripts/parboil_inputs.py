"""Made-up inputs for the programs of Parboil, whose data sets are not in its repository: of small
size, in the formats that the programs read, the same in every run."""

import os
import random
import struct


def write_text(path, lines):
    with open(path, "w", encoding="ascii") as file:
        file.writelines(f"{line}\n" for line in lines)


def write_binary(path, *parts):
    """Parts: a letter of struct and the values."""
    with open(path, "wb") as file:
        for letter, values in parts:
            file.write(struct.pack(f"<{len(values)}{letter}", *values))


def write_matrices(folder, dice):
    """Two dense matrices and the second transposed, which is what the program reads; a sparse one."""
    for name, height, width in (("a", 512, 96), ("b", 96, 64), ("bt", 64, 96)):
        write_text(os.path.join(folder, f"{name}.txt"),
                   [f"{height} {width}",
                    " ".join(f"{dice.random():.4f}" for _ in range(height * width))])
    rows = 1024
    entries = [(row, column) for row in range(1, rows + 1)
               for column in sorted(dice.sample(range(1, rows + 1), dice.randrange(1, 17)))]
    write_text(os.path.join(folder, "sparse.mtx"),
               ["%%MatrixMarket matrix coordinate real general",
                f"{rows} {rows} {len(entries)}"] +
               [f"{row} {column} {dice.random():.6f}" for row, column in entries])
    write_binary(os.path.join(folder, "vector.bin"), ("f", [dice.random() for _ in range(rows)]))


def write_grid(path):
    """A graph of 32 by 32 nodes, each tied to those beside it, so that few are as far as others
    from the first."""
    side = 32
    beside = [[x + dx + (y + dy) * side for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))
               if 0 <= x + dx < side and 0 <= y + dy < side]
              for y in range(side) for x in range(side)]
    starts = [sum(len(nodes) for nodes in beside[:node]) for node in range(side * side)]
    write_text(path, [side * side] +
               [f"{start} {len(nodes)}" for start, nodes in zip(starts, beside)] +
               ["", 0, "", sum(len(nodes) for nodes in beside)] +
               [f"{node} 1" for nodes in beside for node in nodes])


def write_inputs(folder):
    os.makedirs(folder)
    dice = random.Random(2)
    write_matrices(folder, dice)
    write_grid(os.path.join(folder, "grid.txt"))
    write_binary(os.path.join(folder, "stencil.bin"),
                 ("f", [dice.random() for _ in range(128 * 32 * 16)]))
    samples, voxels = 512, 1024
    write_binary(os.path.join(folder, "mri-q.bin"), ("i", [samples, voxels]),
                 ("f", [dice.random() - 0.5 for _ in range(5 * samples + 3 * voxels)]))
    width, height = 256, 128
    write_binary(os.path.join(folder, "histogram.bin"), ("I", [996, 1040, 256, 4096]),
                 ("I", [min(max(int(dice.gauss(2 ** 19, 2 ** 14)), 0), 2 ** 20 - 1)
                        for _ in range(996 * 1040)]))
    for name in ("first.bin", "second.bin"):
        write_binary(os.path.join(folder, name), ("H", [width, height]),
                     ("h", [dice.randrange(256) for _ in range(width * height)]))
    for name in ("sky.txt", "random1.txt", "random2.txt"):
        write_text(os.path.join(folder, name),
                   [f"{dice.uniform(0, 360):.5f} {dice.uniform(-90, 90):.5f}" for _ in range(512)])
    write_binary(os.path.join(folder, "fft.bin"),
                 ("f", [dice.random() - 0.5 for _ in range(2 * 256 * 64)]))
    write_text(os.path.join(folder, "atoms.pqr"),
               [f"ATOM  {n:5d}  C   ALA     1    {dice.uniform(0, 24):8.3f}"
                f"{dice.uniform(0, 24):8.3f}{dice.uniform(0, 24):8.3f}"
                f" {dice.uniform(-1, 1):7.4f} 1.9080" for n in range(1, 301)])
    write_text(os.path.join(folder, "gridding"),
               ["aquisition.numsamples=2048", "aquisition.kmax=0.5 0.5 0.5",
                "aquisition.matrixSize=32 32 32", "reconstruction.matrixSize=32 32 32",
                "gridding.matrixSize=32 32 32", "gridding.oversampling=1.25", "kernel.width=4.0",
                "kernel.useLUT=1"])
    write_binary(os.path.join(folder, "gridding.data"),
                 ("f", [dice.uniform(-0.5, 0.5) for _ in range(6 * 2048)]))
