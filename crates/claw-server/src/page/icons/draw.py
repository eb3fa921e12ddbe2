"""Draws the icons of the page again: python3 draw.py, in this folder. Standard library alone."""
import math
import struct
import zlib

PAPER, INK, SIZE = (0x27, 0x57, 0xC4), (0xFF, 0xFF, 0xFF), 512
# Three scratches, in the middle 80 % that every mask leaves.
SCRATCHES = [((212, 150), (140, 362)), ((292, 140), (220, 372)), ((372, 150), (300, 362))]
WIDTH = 40
LEVELS = 16


def distance(x, y, start, end):
    (ax, ay), (bx, by) = start, end
    along = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / ((bx - ax) ** 2 + (by - ay) ** 2)
    along = min(1, max(0, along))
    return math.hypot(x - ax - along * (bx - ax), y - ay - along * (by - ay))


def level(x, y, scale):
    """How much of a pixel is ink, from 0 to 15."""
    x, y = (x + 0.5) * scale, (y + 0.5) * scale
    inside = WIDTH / 2 - min(distance(x, y, *scratch) for scratch in SCRATCHES)
    return round((LEVELS - 1) * min(1, max(0, inside / scale + 0.5)))


def png(size):
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    mix = lambda share: bytes(round(a + (b - a) * share / (LEVELS - 1)) for a, b in zip(PAPER, INK))
    rows = b""
    for y in range(size):
        levels = [level(x, y, SIZE / size) for x in range(size)]
        rows += b"\0" + bytes(a << 4 | b for a, b in zip(levels[::2], levels[1::2]))
    head = struct.pack(">IIBBBBB", size, size, 4, 3, 0, 0, 0)
    palette = b"".join(mix(share) for share in range(LEVELS))
    parts = [(b"IHDR", head), (b"PLTE", palette), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*part) for part in parts)


def svg():
    color = lambda of: "#%02x%02x%02x" % of
    lines = "".join(f"M{a} {b}L{c} {d}" for (a, b), (c, d) in SCRATCHES)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {SIZE}"><path fill="{color(PAPER)}" '
        f'd="M0 0h{SIZE}v{SIZE}H0z"/><path stroke="{color(INK)}" stroke-width="{WIDTH}" stroke-linecap="round" d="{lines}"/></svg>\n'
    )


for size in (192, 512):
    with open(f"icon-{size}.png", "wb") as file:
        file.write(png(size))
with open("icon.svg", "w", encoding="utf-8") as file:
    file.write(svg())
