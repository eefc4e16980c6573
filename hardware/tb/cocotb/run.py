"""Runs the tests of the bus wrappers on Icarus Verilog: `python3 run.py BUILD-FOLDER`, in an environment with cocotb and cocotbext-axi."""

import os
import sys
from pathlib import Path

from cocotb_tools.runner import get_runner

HERE = Path(__file__).parent
RTL = HERE.parents[1] / "rtl"
WRAPPERS = ["page_unit_apb", "page_unit_axi_lite", "page_unit_xif", "page_unit_cfu"]
SIZES = [{"P": 4096, "S": 16, "PIPELINED": 0}, {"P": 256, "S": 16, "PIPELINED": 1}]


def main(build: Path) -> int:
    sources = sorted(RTL.glob("*.sv"), key=lambda path: (not path.name.endswith("_pkg.sv"), path.name))
    failed = 0
    for wrapper in WRAPPERS:
        for sizes in SIZES:
            runner = get_runner("icarus")
            folder = build / "-".join([wrapper, *(f"{name}{value}" for name, value in sizes.items())])
            runner.build(
                sources=sources,
                hdl_toplevel=wrapper,
                parameters=sizes,
                build_args=["-g2012"],
                build_dir=folder,
                timescale=("1ns", "1ps"),
                always=True,
            )
            results = runner.test(
                hdl_toplevel=wrapper,
                test_module=f"test_{wrapper}",
                test_dir=HERE,
                build_dir=folder,
                results_xml=str(folder / "results.xml"),
                extra_env={"PYTHONPATH": str(HERE), "PYTHONDONTWRITEBYTECODE": "1"},
            )
            text = Path(results).read_text()
            if "<failure" in text or "<error" in text or "<testcase" not in text:
                print(f"{wrapper} {sizes} fails: {results}", file=sys.stderr)
                failed = 1
    return failed


if __name__ == "__main__":
    os.environ.setdefault("COCOTB_LOG_LEVEL", "WARNING")
    sys.exit(main(Path(sys.argv[1])))
