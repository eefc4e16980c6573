"""The unit behind CV-X-IF: instructions are carried out when they are committed, and forgotten when they are killed."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge

from page_model import NONE, Model, compare

ALLOCATE, FREE, LOAD, STORE = range(4)


def instruction(op, rd):
    """custom-0: rs1 is x11, rs2 is x12."""
    return op << 25 | 12 << 20 | 11 << 15 | rd << 7 | 0b0001011


class Core:
    """The core's side; commits come in the cycle of the issue or later, results are taken at once or later."""

    def __init__(self, dut):
        self.dut, self.chance, self.id = dut, random.Random(3), 0

    async def start(self):
        dut = self.dut
        cocotb.start_soon(Clock(dut.clk_i, 10, "ns").start())
        for name in "rst_ni issue_valid_i issue_instr_i issue_id_i issue_rs_valid_i commit_valid_i commit_id_i commit_kill_i".split():
            getattr(dut, name).value = 0
        dut.issue_rs_i.value = 0
        dut.result_ready_i.value = 0
        await RisingEdge(dut.clk_i)
        await FallingEdge(dut.clk_i)
        dut.rst_ni.value = 1

    async def issue(self, op, rs1, rs2=0, kill=False):
        """Gives what is written to the register, or nothing."""
        dut, self.id = self.dut, (self.id + 1) % 16
        dut.issue_valid_i.value, dut.issue_instr_i.value, dut.issue_id_i.value = 1, instruction(op, 10), self.id
        dut.issue_rs_i.value, dut.issue_rs_valid_i.value = rs2 << 32 | rs1, 0b11
        delay = self.chance.randrange(3)
        if delay == 0:
            dut.commit_valid_i.value, dut.commit_id_i.value, dut.commit_kill_i.value = 1, self.id, kill
        await ReadOnly()
        assert dut.issue_ready_o.value == 1 and dut.issue_accept_o.value == 1
        assert dut.issue_writeback_o.value == (op in (ALLOCATE, STORE))
        await FallingEdge(dut.clk_i)
        dut.issue_valid_i.value, dut.commit_valid_i.value = 0, 0
        if delay > 0:
            # A commit of another instruction is not ours.
            dut.commit_valid_i.value, dut.commit_id_i.value, dut.commit_kill_i.value = 1, (self.id + 5) % 16, 0
            for _ in range(delay):
                await FallingEdge(dut.clk_i)
                assert dut.result_valid_o.value == 0
            dut.commit_id_i.value, dut.commit_kill_i.value = self.id, kill
            await FallingEdge(dut.clk_i)
            dut.commit_valid_i.value = 0
        if kill:
            for _ in range(3):
                assert dut.result_valid_o.value == 0
                await FallingEdge(dut.clk_i)
            return None
        while dut.result_valid_o.value == 0:
            await FallingEdge(dut.clk_i)
        for _ in range(self.chance.randrange(2)):
            await FallingEdge(dut.clk_i)
        assert dut.result_valid_o.value == 1 and dut.result_id_o.value == self.id and dut.result_rd_o.value == 10
        assert dut.result_we_o.value == (op in (ALLOCATE, STORE))
        answer = int(dut.result_data_o.value)
        dut.result_ready_i.value = 1
        await FallingEdge(dut.clk_i)
        dut.result_ready_i.value = 0
        return answer

    async def allocate(self, of):
        return await self.issue(ALLOCATE, of)

    async def free(self, of, number):
        await self.issue(FREE, of, number)

    async def load(self, of, word, value):
        await self.issue(LOAD, of | word << 8, value)

    async def store(self, of, word):
        return await self.issue(STORE, of | word << 8)


@cocotb.test()
async def instructions_do_what_the_model_does(dut):
    core = Core(dut)
    await core.start()
    await compare(Model(int(dut.P.value), int(dut.S.value)), core, requests=300)


@cocotb.test()
async def a_killed_instruction_changes_nothing(dut):
    core = Core(dut)
    await core.start()
    await core.load(0, 0, 0b110)
    for _ in range(8):
        assert await core.issue(ALLOCATE, 0, kill=True) is None
        assert await core.issue(FREE, 0, 5, kill=True) is None
    assert await core.store(0, 0) == 0b110
    assert [await core.allocate(0) for _ in range(3)] == [1, 2, NONE]


@cocotb.test()
async def what_is_not_ours_is_refused(dut):
    core = Core(dut)
    await core.start()
    for foreign in [0x00000013, instruction(0, 10) | 1 << 12, instruction(0, 10) | 1 << 31, instruction(3, 10) ^ 1 << 5]:
        dut.issue_valid_i.value, dut.issue_instr_i.value = 1, foreign
        await ReadOnly()
        assert dut.issue_ready_o.value == 1 and dut.issue_accept_o.value == 0 and dut.issue_writeback_o.value == 0
        await FallingEdge(dut.clk_i)
    dut.issue_valid_i.value = 0
    for _ in range(3):
        await FallingEdge(dut.clk_i)
        assert dut.result_valid_o.value == 0
