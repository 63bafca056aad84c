# SPDX-License-Identifier: Apache-2.0
"""TensorProto files as far as the tests need them: type, dims and raw_data, without the onnx package."""

import struct

FLOAT, UINT8, INT8, UINT16, INT16, INT32, INT64, STRING, BOOL, FLOAT16, DOUBLE = range(1, 12)
UINT32, UINT64, BFLOAT16 = 12, 13, 16
BYTES = {FLOAT: 4, UINT8: 1, INT8: 1, UINT16: 2, INT16: 2, INT32: 4, INT64: 8, BOOL: 1, FLOAT16: 2, DOUBLE: 8, UINT32: 4, UINT64: 8,
         BFLOAT16: 2}
DIMS, DATA_TYPE, NAME, RAW_DATA = 1, 2, 8, 9


def _varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def _encode(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def fields(data):
    """(number, wire type, value) in order."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, at = _varint(data, at)
        elif wire == 2:
            size, at = _varint(data, at)
            value, at = data[at:at + size], at + size
        elif wire in (1, 5):
            size = 8 if wire == 1 else 4
            value, at = data[at:at + size], at + size
        else:
            raise ValueError("no protobuf")
        yield number, wire, value


class Tensor:
    def __init__(self, data):
        self.dtype, self.dims, self.raw, self.name = 0, [], None, b""
        for number, wire, value in fields(data):
            if number == DIMS and wire == 0:
                self.dims.append(value)
            elif number == DIMS and wire == 2:
                at = 0
                while at < len(value):
                    dim, at = _varint(value, at)
                    self.dims.append(dim)
            elif number == DATA_TYPE:
                self.dtype = value
            elif number == RAW_DATA:
                self.raw = bytearray(value)
            elif number == NAME:
                self.name = value
        if self.raw is None or self.dtype not in BYTES or len(self.raw) != self.elements() * BYTES[self.dtype]:
            raise ValueError("no tensor with raw data")

    def elements(self):
        count = 1
        for dim in self.dims:
            count *= dim
        return count

    def serialize(self):
        out = b"".join(_encode(DIMS << 3) + _encode(dim) for dim in self.dims)
        out += _encode(DATA_TYPE << 3) + _encode(self.dtype)
        out += _encode(NAME << 3 | 2) + _encode(len(self.name)) + bytes(self.name)
        return out + _encode(RAW_DATA << 3 | 2) + _encode(len(self.raw)) + bytes(self.raw)


FORMATS = {FLOAT: "<f", DOUBLE: "<d", FLOAT16: "<e", INT8: "<b", UINT8: "<B", INT16: "<h", UINT16: "<H", INT32: "<i", UINT32: "<I",
           INT64: "<q", UINT64: "<Q", BOOL: "<B"}


def get(tensor, index):
    size = BYTES[tensor.dtype]
    piece = bytes(tensor.raw[index * size:(index + 1) * size])
    if tensor.dtype == BFLOAT16:
        return struct.unpack("<f", b"\0\0" + piece)[0]
    return struct.unpack(FORMATS[tensor.dtype], piece)[0]


def put(tensor, index, value):
    size = BYTES[tensor.dtype]
    if tensor.dtype == BFLOAT16:
        piece = struct.pack("<f", value)[2:]
    else:
        piece = struct.pack(FORMATS[tensor.dtype], value)
    tensor.raw[index * size:(index + 1) * size] = piece
