"""Dense peaks of devices, from the makers' data sheets."""

from __future__ import annotations

import re

# In TFLOP/s by (device, type of the matrices).
PEAKS: dict[tuple[str, str], float] = {
    ("A100", "bfloat16"): 312.0,
    ("A100", "float32"): 156.0,  # TF32
    ("L4", "bfloat16"): 121.0,
    ("L40S", "bfloat16"): 362.0,
    ("H100", "bfloat16"): 989.0,  # SXM; less on a PCIe card
    ("H100", "float32"): 494.0,  # TF32
    ("H200", "bfloat16"): 989.0,
    ("H200", "float32"): 494.0,  # TF32
    ("B200", "bfloat16"): 2250.0,
    ("RTX 4090", "bfloat16"): 165.0,
}


def peak(kind: str, dtype: str) -> tuple[str, float] | None:
    """(name, operations per second) of a device by its `device_kind`; None where unknown."""
    for (name, held), tera in PEAKS.items():
        if re.search(rf"\b{name}\b", kind) and held == dtype:
            return f"{name} {dtype} dense {tera:g} TFLOP/s", tera * 1e12
    return None
