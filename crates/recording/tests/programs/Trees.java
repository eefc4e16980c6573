/** Builds binary trees, adds them up and lets them go, and knows how many nodes there were. */
public final class Trees {
    private final int value;
    private final Trees left;
    private final Trees right;
    /** A node's size is 344 bytes, which hardly anything else in the virtual machine has. */
    long a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, b0, b1, b2, b3, b4, b5, b6, b7, b8, b9;
    long c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, d0, d1, d2, d3, d4, d5, d6, d7, d8, d9;

    private Trees(int value, Trees left, Trees right) {
        this.value = value;
        this.left = left;
        this.right = right;
    }

    static Trees grow(int depth) {
        return depth == 0 ? null : new Trees(1, grow(depth - 1), grow(depth - 1));
    }

    static int add(Trees tree) {
        return tree == null ? 0 : tree.value + add(tree.left) + add(tree.right);
    }

    /** Arguments: depth of a tree, how many trees. */
    public static void main(String[] arguments) {
        int depth = Integer.parseInt(arguments[0]);
        int rounds = Integer.parseInt(arguments[1]);
        long nodes = 0;
        for (int round = 0; round < rounds; round++) {
            nodes += add(grow(depth));
        }
        System.out.println(nodes);
    }
}
