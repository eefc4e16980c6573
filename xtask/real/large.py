"""Writes a large C file to standard output: python3 large.py LINES

Records, functions over them with loops, branches and switches, a table of pointers to them, and a main that calls
them: what makes a compiler allocate trees, statements, registers and symbols. The same number of lines gives the same
file.
"""

import sys

FUNCTION = """\
struct record_{n} {{
    long key;
    double weight[{width}];
    struct record_{n} *next;
    char name[{name}];
}};

/* Walks a list of records number {n}, and folds what it finds. */
long fold_{n}(const struct record_{n} *first, long limit)
{{
    long sum = {seed};
    double most = 0.0;

    for (const struct record_{n} *here = first; here != 0 && limit > 0; here = here->next, limit--) {{
        switch ((here->key + {n}) % {cases}) {{
{arms}
        default:
            sum ^= here->key * {factor};
        }}
        for (int i = 0; i < {width}; i++) {{
            most = here->weight[i] > most ? here->weight[i] : most + 1.0 / ({width} + i);
        }}
        if (here->name[sum & {mask}] == '{letter}') {{
            sum = (sum << 3) | (long)most;
        }} else if (limit % {factor} == 2) {{
            sum -= fold_long(here->key, limit, {n});
        }}
    }}
    return sum;
}}

long try_{n}(long number)
{{
    struct record_{n} records[3] = {{{{.key = number, .name = "first {n}"}}, {{.key = {factor}}}, {{.key = -number}}}};

    records[0].next = &records[1];
    records[1].next = &records[2];
    records[2].weight[number & {weights}] = {seed}.5;
    return fold_{n}(records, number);
}}

"""

HEAD = """\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long fold_long(long key, long limit, long number)
{
    return key % (limit + number + 1);
}

"""


def function(n: int) -> str:
    """The record, and the functions, number n."""
    seed = (n * 1103515245 + 12345) % 2**31
    cases = 3 + seed % 9
    arms = "\n".join(
        f"        case {i}:\n            sum += here->key / {i + 2} + (long)here->weight[{i % 2}];\n            break;"
        for i in range(cases - 1)
    )
    return FUNCTION.format(
        n=n, seed=seed % 1000, width=2 + 2 ** (seed % 4), weights=1, name=16, mask=15, cases=cases, arms=arms,
        factor=3 + seed % 17, letter=chr(ord("a") + n % 26),
    )


def main() -> None:
    """Functions until there are enough lines, then the table and main."""
    wanted = int(sys.argv[1])
    sys.stdout.write(HEAD)
    lines = HEAD.count("\n")
    n = 0
    while lines < wanted - n - 20:
        text = function(n)
        sys.stdout.write(text)
        lines += text.count("\n")
        n += 1
    names = "".join(f"    try_{i},\n" for i in range(n))
    sys.stdout.write(f"static long (*const all[])(long) = {{\n{names}}};\n\n")
    sys.stdout.write(
        "int main(void)\n{\n    long sum = 0;\n\n    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {\n"
        "        sum += all[i]((long)i);\n    }\n    printf(\"%ld\\n\", sum);\n    return 0;\n}\n"
    )


main()
