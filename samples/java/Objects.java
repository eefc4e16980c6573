import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * Six small programs whose objects are recorded: of the kinds of the SPEC JVM98 programs that Donahue et al. (2001,
 * Figure 7) ran, and written anew. Each does real work, prints a number that depends on all of it, and is the same in
 * every run.
 */
public final class Objects {
    public static void main(String[] arguments) {
        String program = arguments.length == 1 ? arguments[0] : "";
        long result = switch (program) {
            case "raytrace" -> RayTracer.run();
            case "rules" -> Rules.run();
            case "database" -> Database.run();
            case "compiler" -> Compiler.run();
            case "parsergen" -> ParserGenerator.run();
            case "compress" -> Compress.run();
            default -> throw new IllegalArgumentException(
                    "name one of raytrace, rules, database, compiler, parsergen, compress");
        };
        System.out.println(program + " " + result);
    }
}

/** Spheres over a floor, with shadows and mirrors; every vector is an object. */
final class RayTracer {
    record Vector(double x, double y, double z) {
        Vector plus(Vector v) { return new Vector(x + v.x, y + v.y, z + v.z); }
        Vector minus(Vector v) { return new Vector(x - v.x, y - v.y, z - v.z); }
        Vector times(double f) { return new Vector(x * f, y * f, z * f); }
        double dot(Vector v) { return x * v.x + y * v.y + z * v.z; }
        Vector unit() { return times(1 / Math.sqrt(dot(this))); }
    }

    record Ray(Vector from, Vector along) {
        Vector at(double far) { return from.plus(along.times(far)); }
    }

    record Sphere(Vector centre, double radius, double mirror) {
        double hit(Ray ray) {
            Vector to = ray.from().minus(centre);
            double b = to.dot(ray.along()), c = to.dot(to) - radius * radius, root = b * b - c;
            double near = root < 0 ? -1 : -b - Math.sqrt(root);
            return near > 1e-4 ? near : Double.POSITIVE_INFINITY;
        }
    }

    static final List<Sphere> SPHERES = new ArrayList<>();
    static final Vector LIGHT = new Vector(-4, 6, -3);

    static double shade(Ray ray, int depth) {
        Sphere nearest = null;
        double far = Double.POSITIVE_INFINITY;
        for (Sphere sphere : SPHERES) {
            double hit = sphere.hit(ray);
            if (hit < far) { far = hit; nearest = sphere; }
        }
        if (nearest == null) return 0.2 + 0.3 * Math.max(0, ray.along().y());
        Vector point = ray.at(far), normal = point.minus(nearest.centre()).unit(), light = LIGHT.minus(point).unit();
        Ray shadow = new Ray(point, light);
        boolean dark = SPHERES.stream().anyMatch(s -> s.hit(shadow) < Double.POSITIVE_INFINITY);
        double own = dark ? 0.1 : Math.max(0.1, normal.dot(light));
        if (depth == 0 || nearest.mirror() == 0) return own;
        Vector back = ray.along().minus(normal.times(2 * ray.along().dot(normal)));
        return own * (1 - nearest.mirror()) + nearest.mirror() * shade(new Ray(point, back), depth - 1);
    }

    static long run() {
        Random random = new Random(1);
        SPHERES.add(new Sphere(new Vector(0, -1001, 6), 1000, 0));
        for (int i = 0; i < 5; i++) {
            Vector centre = new Vector(random.nextDouble() * 6 - 3, random.nextDouble() * 2 - 0.5, 4 + random.nextDouble() * 4);
            SPHERES.add(new Sphere(centre, 0.4 + random.nextDouble() * 0.6, 0.4));
        }
        List<double[]> image = new ArrayList<>();
        for (int row = 0; row < 24; row++) {
            double[] line = new double[32];
            for (int column = 0; column < line.length; column++) {
                Vector along = new Vector((column - 16) / 16.0, (12 - row) / 16.0, 1.4).unit();
                line[column] = shade(new Ray(new Vector(0, 0.3, -1), along), 2);
            }
            image.add(line);
        }
        return Math.round(image.stream().flatMapToDouble(Arrays::stream).sum() * 1000);
    }
}

/** Forward chaining over facts: relatives from parents, as an expert system would find them. */
final class Rules {
    record Fact(String relation, String one, String other) {}

    interface Rule { List<Fact> apply(Fact fact, Set<Fact> known); }

    static long run() {
        Random random = new Random(2);
        LinkedList<Fact> agenda = new LinkedList<>();
        for (int i = 0; i < 110; i++) {
            agenda.add(new Fact("parent", "p" + i, "p" + (i + 1 + random.nextInt(9))));
        }
        Rule ancestor = (fact, known) -> fact.relation().equals("parent")
                ? List.of(new Fact("ancestor", fact.one(), fact.other())) : List.of();
        Rule chain = (fact, known) -> {
            List<Fact> found = new ArrayList<>();
            if (!fact.relation().equals("ancestor")) return found;
            for (Fact other : known) {
                if (other.relation().equals("parent") && other.other().equals(fact.one())) {
                    found.add(new Fact("ancestor", other.one(), fact.other()));
                }
            }
            return found;
        };
        Rule siblings = (fact, known) -> {
            List<Fact> found = new ArrayList<>();
            if (!fact.relation().equals("parent")) return found;
            for (Fact other : known) {
                if (other.relation().equals("parent") && other.other().equals(fact.other()) && !other.equals(fact)) {
                    found.add(new Fact("partner", other.one(), fact.one()));
                }
            }
            return found;
        };
        List<Rule> rules = List.of(ancestor, chain, siblings);
        Set<Fact> known = new HashSet<>();
        while (!agenda.isEmpty() && known.size() < 2600) {
            Fact fact = agenda.removeFirst();
            if (!known.add(fact)) continue;
            rules.forEach(rule -> agenda.addAll(rule.apply(fact, known)));
        }
        return known.size() * 1000L + agenda.size();
    }
}

/** Records that are added, found, changed, sorted and deleted, as text comes in. */
final class Database {
    static final class Entry {
        final Map<String, String> fields = new HashMap<>();
    }

    static long run() {
        Random random = new Random(3);
        List<Entry> entries = new ArrayList<>();
        String[] names = {"name", "street", "town", "phone"};
        long found = 0;
        for (int step = 0; step < 1400; step++) {
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> {
                    Entry entry = new Entry();
                    for (String name : names) entry.fields.put(name, word(random) + " " + word(random));
                    entries.add(entry);
                }
                case 3, 4 -> {
                    String wanted = word(random).substring(0, 2);
                    for (Entry entry : entries) if (entry.fields.get("name").startsWith(wanted)) found++;
                }
                case 5 -> { if (!entries.isEmpty()) entries.remove(random.nextInt(entries.size())); }
                case 6 -> {
                    if (!entries.isEmpty()) {
                        Entry entry = entries.get(random.nextInt(entries.size()));
                        entry.fields.put("phone", Long.toString(random.nextInt(1 << 30)));
                    }
                }
                default -> {
                    if (step % 40 == 0) entries.sort(Comparator.comparing(entry -> entry.fields.get("town") + entry.fields.get("name")));
                }
            }
        }
        return entries.size() * 100_000L + found;
    }

    static String word(Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = 3 + random.nextInt(7); i > 0; i--) text.append((char) ('a' + random.nextInt(26)));
        return text.toString();
    }
}

/** Source text to tokens to trees to folded trees to code, function by function. */
final class Compiler {
    record Token(char kind, String text) {}

    static abstract sealed class Node permits Number, Name, Binary {}
    static final class Number extends Node { final long value; Number(long value) { this.value = value; } }
    static final class Name extends Node { final String name; Name(String name) { this.name = name; } }
    static final class Binary extends Node {
        final char operator; final Node left, right;
        Binary(char operator, Node left, Node right) { this.operator = operator; this.left = left; this.right = right; }
    }

    static List<Token> tokens;
    static int next;

    static long run() {
        Random random = new Random(4);
        Map<String, List<String>> program = new TreeMap<>();
        for (int function = 0; function < 130; function++) {
            String source = expression(random, 5);
            tokens = new ArrayList<>();
            next = 0;
            for (int at = 0; at < source.length(); ) {
                int end = at + 1;
                char first = source.charAt(at);
                while (Character.isLetterOrDigit(first) && end < source.length() && Character.isLetterOrDigit(source.charAt(end))) end++;
                tokens.add(new Token(Character.isDigit(first) ? '0' : Character.isLetter(first) ? 'a' : first, source.substring(at, end)));
                at = end;
            }
            List<String> code = new ArrayList<>();
            emit(fold(sum()), code);
            program.put("f" + function, code);
        }
        return program.values().stream().mapToLong(code -> code.size() * 31L + code.hashCode() % 1000).sum();
    }

    static String expression(Random random, int depth) {
        if (depth == 0 || random.nextInt(6) == 0) {
            return random.nextBoolean() ? Integer.toString(random.nextInt(1000)) : "v" + random.nextInt(20);
        }
        return "(" + expression(random, depth - 1) + "+*-".charAt(random.nextInt(3)) + expression(random, depth - 1) + ")";
    }

    static Node sum() {
        Node left = product();
        while (next < tokens.size() && "+-".indexOf(tokens.get(next).kind()) >= 0) {
            left = new Binary(tokens.get(next++).kind(), left, product());
        }
        return left;
    }

    static Node product() {
        Node left = atom();
        while (next < tokens.size() && tokens.get(next).kind() == '*') { next++; left = new Binary('*', left, atom()); }
        return left;
    }

    static Node atom() {
        Token token = tokens.get(next++);
        return switch (token.kind()) {
            case '0' -> new Number(Long.parseLong(token.text()));
            case 'a' -> new Name(token.text());
            default -> { Node inner = sum(); next++; yield inner; }
        };
    }

    static Node fold(Node node) {
        if (!(node instanceof Binary binary)) return node;
        Node left = fold(binary.left), right = fold(binary.right);
        if (left instanceof Number a && right instanceof Number b) {
            return new Number(switch (binary.operator) { case '+' -> a.value + b.value; case '-' -> a.value - b.value; default -> a.value * b.value; });
        }
        return new Binary(binary.operator, left, right);
    }

    static void emit(Node node, List<String> code) {
        if (node instanceof Number number) {
            code.add("push " + number.value);
        } else if (node instanceof Name name) {
            code.add("load " + name.name);
        } else if (node instanceof Binary binary) {
            emit(binary.left, code);
            emit(binary.right, code);
            code.add("op " + binary.operator);
        }
    }
}

/** The states of an LR(0) parser, from grammars: sets of items that are made, compared and mostly thrown away. */
final class ParserGenerator {
    record Production(String left, List<String> right) {}
    record Item(Production production, int dot) {
        String after() { return dot < production.right().size() ? production.right().get(dot) : null; }
    }

    static long run() {
        long sum = 0;
        Random random = new Random(5);
        for (int grammar = 0; grammar < 3; grammar++) {
            List<Production> productions = new ArrayList<>();
            productions.add(new Production("S", List.of("N0")));
            for (int i = 0; i < 7; i++) {
                for (int j = 0; j < 2; j++) {
                    List<String> right = new ArrayList<>();
                    for (int k = 1 + random.nextInt(3); k > 0; k--) {
                        right.add(random.nextInt(3) == 0 ? "N" + random.nextInt(7) : "t" + random.nextInt(8));
                    }
                    productions.add(new Production("N" + i, right));
                }
            }
            sum += states(productions);
        }
        return sum;
    }

    static int states(List<Production> productions) {
        Map<Set<Item>, Integer> numbers = new HashMap<>();
        LinkedList<Set<Item>> open = new LinkedList<>();
        Set<Item> start = closure(Set.of(new Item(productions.get(0), 0)), productions);
        numbers.put(start, 0);
        open.add(start);
        while (!open.isEmpty()) {
            Map<String, Set<Item>> moves = new TreeMap<>();
            for (Item item : open.removeFirst()) {
                if (item.after() != null) {
                    moves.computeIfAbsent(item.after(), symbol -> new HashSet<>()).add(new Item(item.production(), item.dot() + 1));
                }
            }
            for (Set<Item> kernel : moves.values()) {
                Set<Item> state = closure(kernel, productions);
                if (numbers.putIfAbsent(state, numbers.size()) == null) open.add(state);
            }
        }
        return numbers.size();
    }

    static Set<Item> closure(Set<Item> kernel, List<Production> productions) {
        Set<Item> items = new HashSet<>(kernel);
        LinkedList<Item> open = new LinkedList<>(kernel);
        while (!open.isEmpty()) {
            String symbol = open.removeFirst().after();
            for (Production production : productions) {
                if (production.left().equals(symbol)) {
                    Item item = new Item(production, 0);
                    if (items.add(item)) open.add(item);
                }
            }
        }
        return items;
    }
}

/** Lempel-Ziv-Welch over buffers of text: few objects, and some of them large. */
final class Compress {
    static long run() {
        Random random = new Random(6);
        long sum = 0;
        for (int file = 0; file < 12; file++) {
            byte[] text = new byte[20_000 + random.nextInt(60_000)];
            for (int i = 0; i < text.length; i++) text[i] = (byte) ("etaoin shrdlu".charAt(random.nextInt(4) * random.nextInt(4)));
            sum += compress(text).length;
        }
        return sum;
    }

    static byte[] compress(byte[] text) {
        int[] prefix = new int[4096], table = new int[9001];
        byte[] last = new byte[4096], out = new byte[text.length + 16];
        int codes = 256, length = 0, code = text[0] & 255;
        for (int i = 1; i < text.length; i++) {
            int place = ((code << 5) ^ (text[i] & 255)) % table.length;
            while (table[place] != 0 && !(prefix[table[place]] == code && last[table[place]] == text[i])) place = (place + 1) % table.length;
            if (table[place] != 0) { code = table[place]; continue; }
            out[length++] = (byte) code;
            out[length++] = (byte) (code >> 8);
            if (codes < 4096) { prefix[codes] = code; last[codes] = text[i]; table[place] = codes++; }
            code = text[i] & 255;
        }
        return Arrays.copyOf(out, length);
    }
}
