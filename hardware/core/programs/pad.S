# Moves the heap's instructions: where they lie decides which of the program's they replace in a cache of one way.
    .text
    .space PAD
