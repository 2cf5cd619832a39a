// work.js SECONDS: what engines do: calls, objects, strings, regular expressions, callbacks.
const fib = n => n < 2 ? n : fib(n - 1) + fib(n - 2);
class Node { constructor(v) { this.v = v; this.l = this.r = null; }
	add(v) { const side = v < this.v ? 'l' : 'r'; if (this[side]) this[side].add(v); else this[side] = new Node(v); }
	sum() { return this.v + (this.l ? this.l.sum() : 0) + (this.r ? this.r.sum() : 0); } }
function* count(n) { for (let i = 0; i < n; i++) yield i; }
const end = Date.now() + 1000 * (process.argv[2] || 1);
let r = 0;
while (Date.now() < end) {
	r += fib(20);
	const list = [];
	for (let i = 0; i < 2000; i++) list.push({ a: i * 7919 % 2003, b: 'x' + i });
	list.sort((x, y) => x.b < y.b ? -1 : 1);
	r += JSON.stringify(list).length + list.map(x => x.a).filter(x => x & 1).reduce((x, y) => x + y, 0);
	const root = new Node(1000);
	for (const x of list) root.add(x.a);
	r += root.sum();
	for (const i of count(500)) r += /(\d+)-?/.exec('abc' + i)[1].length;
	try { null.x } catch (e) { r += e.message.length }
}
console.error(r);
