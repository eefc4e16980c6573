"""What a page unit does, the registers of its buses, and random requests to both."""

import csv
import random
from dataclasses import dataclass
from pathlib import Path

NONE = 0xFFFFFFFF


@dataclass
class Register:
    """A line of registers.csv."""

    offset: int
    count: int
    stride: int
    inner_count: int
    inner_stride: int
    access: str

    def at(self, index=0, inner=0):
        """The address of the register of a class and a word."""
        return self.offset + index * self.stride + inner * self.inner_stride


def registers():
    """The table, by name."""
    numbers = ["offset", "count", "stride", "inner_count", "inner_stride"]
    with (Path(__file__).parents[2] / "registers.csv").open() as table:
        return {
            row["name"]: Register(*(int(row[name], 0) for name in numbers), row["access"])
            for row in csv.DictReader(table)
        }


class Model:
    """Bitmaps of free objects, one a class."""

    def __init__(self, page, smallest):
        self.leaves = page // smallest
        self.classes = self.leaves.bit_length() - 1
        self.free_of = [0] * self.classes

    def objects(self, of):
        return self.leaves >> of

    def words(self, of):
        return max(1, self.objects(of) // 32)

    def allocate(self, of):
        held = self.free_of[of]
        if held == 0:
            return NONE
        self.free_of[of] = held & (held - 1)
        return (held & -held).bit_length() - 1

    def free(self, of, number):
        self.free_of[of] |= 1 << number

    def load(self, of, word, value):
        mask = ((1 << self.objects(of)) - 1) & (NONE << (32 * word))
        self.free_of[of] = (self.free_of[of] & ~mask) | (value << (32 * word) & mask)

    def store(self, of, word):
        return self.free_of[of] >> (32 * word) & NONE


async def compare(model, unit, requests=600, seed=1):
    """Directed and random requests: `unit` has the methods of the model, to be awaited."""
    chance = random.Random(seed)
    for of in range(model.classes):
        assert await unit.allocate(of) == NONE, "after reset nothing is held"
        for word in range(model.words(of)):
            model.load(of, word, NONE)
            await unit.load(of, word, NONE)
    for _ in range(requests):
        of = chance.randrange(model.classes)
        number, word = chance.randrange(model.objects(of)), chance.randrange(model.words(of))
        match chance.randrange(8):
            case 0:
                value = chance.getrandbits(32) & chance.getrandbits(32)
                model.load(of, word, value)
                await unit.load(of, word, value)
            case 1:
                assert await unit.store(of, word) == model.store(of, word)
            case 2 | 3 | 4:
                model.free(of, number)
                await unit.free(of, number)
            case _:
                # Twice, so that the second finds the bitmap just changed.
                for _ in range(2):
                    assert await unit.allocate(of) == model.allocate(of)
    for of in range(model.classes):
        for word in range(model.words(of)):
            assert await unit.store(of, word) == model.store(of, word)


class ByRegisters:
    """The unit behind registers: `read(address)` and `write(address, value)` of a bus, which give a word and whether it went well."""

    def __init__(self, read, write):
        self.map, self.read, self.write = registers(), read, write

    async def allocate(self, of):
        return await self.good_read(self.map["allocate"].at(of))

    async def free(self, of, number):
        assert await self.write(self.map["free"].at(of), number)

    async def load(self, of, word, value):
        assert await self.write(self.map["bitmap"].at(of, word), value)

    async def store(self, of, word):
        return await self.good_read(self.map["bitmap"].at(of, word))

    async def good_read(self, address):
        word, went_well = await self.read(address)
        assert went_well, hex(address)
        return word


async def check_registers(unit, page, smallest):
    """What every register answers, and that there are no others: each direction of each address in 8 KiB."""
    model = Model(page, smallest)
    log2 = lambda number: number.bit_length() - 1
    there = set()
    for name, register in unit.map.items():
        for of in range(register.count):
            for word in range(register.inner_count):
                if register.count > 1 and of >= model.classes or name == "bitmap" and word >= model.words(of):
                    continue
                there |= {(register.at(of, word), way) for way in register.access}
    for address in range(0, 0x2000, 4):
        _, went_well = await unit.read(address)
        assert went_well == ((address, "r") in there), hex(address)
        assert await unit.write(address, 0) == ((address, "w") in there), hex(address)
    assert await unit.good_read(unit.map["identity"].at()) == 0x50470001
    wanted = log2(page) | log2(smallest) << 8 | 32 << 16 | model.classes << 24
    assert await unit.good_read(unit.map["parameters"].at()) == wanted
