"""The unit as a custom function unit: commands back to back, and answers that are taken late."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge

from page_model import Model, compare

ALLOCATE, FREE, LOAD, STORE = range(4)


class Core:
    """The core's side."""

    def __init__(self, dut):
        self.dut, self.chance = dut, random.Random(4)

    async def start(self):
        dut = self.dut
        cocotb.start_soon(Clock(dut.clk_i, 10, "ns").start())
        for name in "rst_ni cmd_valid_i cmd_function_id_i cmd_inputs_0_i cmd_inputs_1_i rsp_ready_i".split():
            getattr(dut, name).value = 0
        await RisingEdge(dut.clk_i)
        await FallingEdge(dut.clk_i)
        dut.rst_ni.value = 1

    async def command(self, function, one, two=0):
        dut = self.dut
        dut.cmd_valid_i.value, dut.cmd_function_id_i.value = 1, function
        dut.cmd_inputs_0_i.value, dut.cmd_inputs_1_i.value = one, two
        dut.rsp_ready_i.value = 0
        while True:
            await ReadOnly()
            taken = dut.cmd_ready_o.value == 1
            await FallingEdge(dut.clk_i)
            if taken:
                break
        dut.cmd_valid_i.value = 0
        for _ in range(self.chance.randrange(3)):
            assert dut.rsp_valid_o.value == 1
            await FallingEdge(dut.clk_i)
        assert dut.rsp_valid_o.value == 1
        answer = int(dut.rsp_outputs_0_o.value)
        dut.rsp_ready_i.value = 1
        await FallingEdge(dut.clk_i)
        dut.rsp_ready_i.value = 0
        return answer

    async def allocate(self, of):
        return await self.command(ALLOCATE << 3, of)

    async def free(self, of, number):
        assert await self.command(FREE << 3, of, number) == 0

    async def load(self, of, word, value):
        assert await self.command(LOAD << 3, of | word << 8, value) == 0

    async def store(self, of, word):
        return await self.command(STORE << 3, of | word << 8)


@cocotb.test()
async def commands_do_what_the_model_does(dut):
    core = Core(dut)
    await core.start()
    await compare(Model(int(dut.P.value), int(dut.S.value)), core, requests=300)
    # Another function does nothing.
    before = await core.store(0, 0)
    assert await core.command(1, 0) == 0 and await core.command(1 << 9, 0) == 0
    assert await core.store(0, 0) == before
