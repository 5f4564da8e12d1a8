"""The icon: a keyhole in a square, drawn point by point into a PNG that is the same everywhere."""

import struct
import zlib

SIZE = 512
_BACKGROUND, _KEYHOLE = (0x1F, 0x2A, 0x44), (0xF2, 0xB8, 0x3B)


def icon() -> bytes:
    """Return the picture, two colours, uncompressed: compression differs between libraries."""
    rows = b"".join(b"\0" + _row(y) for y in range(SIZE))
    return b"".join(
        [
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", struct.pack(">IIBBBBB", SIZE, SIZE, 1, 3, 0, 0, 0)),
            _chunk(b"PLTE", bytes((*_BACKGROUND, *_KEYHOLE))),
            _chunk(b"IDAT", _stored(rows)),
            _chunk(b"IEND", b""),
        ]
    )


def _row(y: int) -> bytes:
    bits = "".join(str(int(_is_keyhole(x, y))) for x in range(SIZE))
    return int(bits, 2).to_bytes(SIZE // 8, "big")


def _is_keyhole(x: int, y: int) -> bool:
    """Tell whether a point is in the round part, or in the one that widens below it."""
    across, down = abs(x - SIZE // 2), y - 200
    return across**2 + down**2 <= 90**2 or (0 <= down <= 210 and across <= 34 + down * 0.22)


def _chunk(kind: bytes, data: bytes) -> bytes:
    checked = kind + data
    return struct.pack(">I", len(data)) + checked + struct.pack(">I", zlib.crc32(checked))


def _stored(data: bytes) -> bytes:
    """Return data as a stream of one block that is not compressed."""
    size = len(data)
    head = b"\x78\x01\x01" + struct.pack("<HH", size, size ^ 0xFFFF)
    return head + data + struct.pack(">I", zlib.adler32(data))
