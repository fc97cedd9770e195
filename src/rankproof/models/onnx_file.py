"""Writing an ONNX model: the few messages of its protocol buffer that a graph of an encoder takes.

The library `onnx` would do the same and is 31 MB when installed, for a format that does not change.

source: onnx.proto of ONNX IR version 9 (field numbers); Protocol Buffers, Encoding (wire types)
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

_TYPES: Final = {np.dtype(np.float32): 1, np.dtype(np.uint8): 2, np.dtype(np.int8): 3, np.dtype(np.int64): 7}
_FLOAT, _INT = 1, 2  # kinds of attributes
INT32: Final = 6


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes | str) -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(data)) + data


class Graph:
    """A graph that grows node by node. The first value that a node gives has its name."""

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._constants: list[bytes] = []

    def constant(self, name: str, value: NDArray[Any]) -> str:
        """Adds a constant and gives its name. TensorProto: dims 1, data_type 2, name 8, raw_data 9."""
        dims = b"".join(_number(1, size) for size in value.shape)
        little = np.ascontiguousarray(value, dtype=value.dtype.newbyteorder("<"))
        tensor = dims + _number(2, _TYPES[value.dtype]) + _bytes(8, name) + _bytes(9, little.tobytes())
        self._constants.append(tensor)
        return name

    def node(
        self,
        operation: str,
        inputs: Sequence[str],
        name: str,
        domain: str = "",
        also: Sequence[str] = (),
        **attributes: float,
    ) -> str:
        """Adds a node and gives its name; `also` are further values it gives.

        NodeProto: input 1, output 2, name 3, op_type 4, attribute 5, domain 7.
        """
        node = b"".join(_bytes(1, given) for given in inputs) + b"".join(_bytes(2, given) for given in (name, *also))
        node += _bytes(3, name) + _bytes(4, operation)
        for key, value in attributes.items():  # AttributeProto: name 1, f 2, i 3, type 20
            said = _varint(2 << 3 | 5) + struct.pack("<f", value) if isinstance(value, float) else _number(3, value)
            node += _bytes(5, _bytes(1, key) + said + _number(20, _FLOAT if isinstance(value, float) else _INT))
        self._nodes.append(node + (_bytes(7, domain) if domain else b""))
        return name

    def model(self, inputs: Sequence[str], output: str, size: int) -> bytes:
        """The file: whole numbers texts x tokens come in, numbers texts x tokens x `size` go out.

        GraphProto: node 1, name 2, initializer 5, input 11, output 12.
        ModelProto: ir_version 1, graph 7, opset_import 8.
        """
        taken = b"".join(_bytes(11, _value(name, 7, ("texts", "tokens"))) for name in inputs)
        given = _bytes(12, _value(output, 1, ("texts", "tokens", size)))
        nodes = b"".join(_bytes(1, node) for node in self._nodes)
        constants = b"".join(_bytes(5, constant) for constant in self._constants)
        graph = nodes + _bytes(2, "encoder") + constants + taken + given
        sets = [("", 17), ("com.microsoft", 1)]  # OperatorSetIdProto: domain 1, version 2
        opsets = b"".join(_bytes(8, _bytes(1, domain) + _number(2, version)) for domain, version in sets)
        return _number(1, 9) + _bytes(7, graph) + opsets


def _value(name: str, kind: int, shape: tuple[str | int, ...]) -> bytes:
    """ValueInfoProto: name 1, type 2; its tensor_type 1: elem_type 1, shape 2; a dim 1: dim_value 1, dim_param 2."""
    dims = b"".join(_bytes(1, _bytes(2, d) if isinstance(d, str) else _number(1, d)) for d in shape)
    return _bytes(1, name) + _bytes(2, _bytes(1, _number(1, kind) + _bytes(2, dims)))
