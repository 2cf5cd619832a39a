// Work SECONDS: what engines do: calls, objects, strings, sorting, callbacks.
import java.util.*;
import java.util.stream.*;

public class Work {
	interface Shape { double size(); }
	record Square(double a) implements Shape { public double size() { return a * a; } }
	record Several(List<Shape> parts) implements Shape {
		public double size() { double s = 0; for (Shape p : parts) s += p.size(); return s; }
	}
	static Shape make(int depth) {
		if (depth == 0) return new Square(1);
		List<Shape> l = new ArrayList<>();
		for (int i = 0; i < 4; i++) l.add(make(depth - 1));
		return new Several(l);
	}
	static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

	public static void main(String[] a) {
		long end = System.currentTimeMillis() + 1000 * Integer.parseInt(a[0]), r = 0;

		while (System.currentTimeMillis() < end) {
			r += fib(22) + (long)make(5).size();
			List<String> l = new ArrayList<>();
			for (int i = 0; i < 3000; i++) l.add("x" + i * 7919 % 3001);
			Collections.sort(l);
			Map<String, Integer> m = new TreeMap<>();
			for (String s : l) m.merge(s.substring(0, 2), 1, Integer::sum);
			r += m.size() + l.stream().filter(s -> s.hashCode() % 3 == 0).map(String::length).collect(Collectors.summingInt(x -> x));
			try { Object o = null; o.hashCode(); } catch (NullPointerException e) { r++; }
		}
		System.err.println(r);
	}
}
