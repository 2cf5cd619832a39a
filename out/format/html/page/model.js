"use strict";
// What out/format/html/html.c wrote, and what is worked out of it: functions, a tree of stacks, threads with their runs.

const $ = id => document.getElementById(id);
const USER = 0, KERNEL = 1, JIT = 2, MARK = 3, INLINED = 4, PROCESS = 5, SCRIPT = 6;

// What is known about the capture.
let about;
// Functions: names as they are shown, number among modules, source file, line, kind.
const F = { n: 0, name: [], module: null, file: [], line: null, kind: null, mine: null };
const modules = [];
// Stacks: parents come before children; the outermost frame is the process' name.
const T = { n: 0, parent: null, fn: null, head: null, child: null, sorted: null, delta: null };
// Stacks again, with the line of each function that ran, from the file.
const L = { n: 0, parent: null, site: null, fn: null, line: null, some: false };
// Runs of all threads, one thread behind the other: from and to (µs), weight, nodes of T and of L, samples.
const R = { n: 0, from: null, to: null, weight: null, node: null, lined: null, count: null };
// Text of source lines, where the file has it: of each source file a map of lines.
const sources = new Map();
// Threads as the file has them: one for each name and event.
let threads = [];

// Controls and marks that turn text around are shown as what they are not.
const odd = /[\u0001-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e0fff}]/gu;
const tame = text => text.replace(odd, "\ufffd");

const suffix = kind => kind === KERNEL ? "_[k]" : kind === INLINED ? "_[i]" : "";
const nameOf = f => f < 0 ? "all" : F.name[f];

function grown(array, n) {
	const more = new array.constructor(n);
	more.set(array);
	return more;
}

function decode(bytes) {
	const utf8 = new TextDecoder();
	let at = 0;
	const number = () => {
		let b = bytes[at++], v = b & 127;
		for (let unit = 128; b > 127; unit *= 128) {
			b = bytes[at++];
			v += (b & 127) * unit;
		}
		return v;
	};
	const signed = () => {
		const v = number();
		return v % 2 ? -(v + 1) / 2 : v / 2;
	};
	const text = n => utf8.decode(bytes.subarray(at, at += n));
	about = JSON.parse(text(number()), (key, value) => typeof value === "string" ? tame(value) : value);

	F.n = number();
	const strings = tame(text(number())).split("\0"), moduleOf = new Map();
	F.module = new Int32Array(F.n);
	for (let i = 0; i < F.n; i++) {
		const module = strings[3 * i + 1];
		if (!moduleOf.has(module))
			moduleOf.set(module, modules.push(module) - 1);
		F.module[i] = moduleOf.get(module);
		F.name.push(strings[3 * i]);
		F.file.push(strings[3 * i + 2]);
	}
	F.kind = Array.from({ length: F.n }, number).map((kind, f) => languages[modules[F.module[f]]] ? SCRIPT : kind);
	kindWords.find(([kind]) => kind === SCRIPT)[1] = modules.map(m => languages[m]).filter(Boolean).join(", ");
	F.line = Array.from({ length: F.n }, number);
	for (let i = 0; i < F.n; i++)
		F.name[i] += suffix(F.kind[i]) + (about.lines && F.line[i] ? ":" + F.line[i] : "");

	const sites = number();
	L.fn = new Int32Array(sites);
	L.line = new Int32Array(sites);
	for (let i = 0, f = 0; i < sites; i++)
		L.fn[i] = f += signed();
	for (let i = 0; i < sites; i++)
		L.some = (L.line[i] = number()) > 0 || L.some;
	L.n = number();
	L.parent = new Int32Array(L.n);
	L.site = new Int32Array(L.n);
	for (let i = 0; i < L.n; i++)
		L.parent[i] = i - number();
	for (let i = 0; i < L.n; i++)
		L.site[i] = number();
	if (about.diff) {
		L.share = new Float64Array(L.n);
		for (let i = 0; i < L.n; i++)
			L.share[i] = signed() / 1e5;
	}
	decodeRuns(number, signed, bytes.length - at);
	for (let files = about.sources ? Math.min(number(), bytes.length) : 0; files > 0; files--) {
		const lines = new Map(), lengths = [];
		sources.set(tame(text(number())), lines);
		for (let n = Math.min(number(), bytes.length), line = 0; n > 0; n--)
			lengths.push([line += number(), number()]);
		for (const [line, length] of lengths)
			lines.set(line, tame(text(length).replaceAll("\t", "    ")));
	}
}

// Most runs take five bytes or more.  Room that is not used costs nothing, to make more costs a copy of all.
function decodeRuns(number, signed, bytes) {
	let room = Math.max(1 << 12, bytes / 5 | 0);
	R.from = new Float64Array(room);
	R.to = new Float64Array(room);
	R.weight = new Float64Array(room);
	R.lined = new Int32Array(room);
	R.count = new Uint32Array(room);
	threads = about.threads.map(([pid, tid, event, comm, title]) => ({ pid, tid, event, comm: comm || "[unknown]", title: title || comm || "[unknown]" }));
	for (const t of threads) {
		const period = about.events[t.event] ? about.events[t.event].period / 1000 : 0;
		let node = 0, end = 0, n;
		t.lo = R.n;
		t.weight = t.samples = 0;
		while ((n = number()) > 0) {
			const lo = R.n, hi = R.n += n;
			if (hi > room) {
				room = room * 1.5 + n | 0;
				for (const column of ["from", "to", "weight", "lined", "count"])
					R[column] = grown(R[column], room);
			}
			for (let i = lo; i < hi; i++)
				R.lined[i] = node += signed();
			for (let i = lo; i < hi; i++)
				R.from[i] = signed();
			for (let i = lo; i < hi; i++) {
				const samples = number(), n = Math.floor(samples / 2), weight = samples % 2 ? number() : n;
				const first = end + R.from[i];
				end = first + (n > 1 ? number() : 0);
				R.weight[i] = weight;
				R.count[i] = n;
				// A sample stands for the time before it, back to the one before.
				R.from[i] = Math.max(first - period * weight / n, 0, i > t.lo ? R.to[i - 1] : 0);
				R.to[i] = Math.max(end, R.from[i]);
				t.weight += weight;
				t.samples += n;
			}
		}
		t.hi = R.n;
	}
}

// The tree of functions below process names, and the nodes of runs there.
function buildTree() {
	const seen = new Uint8Array(F.n), merges = L.fn.some(fn => seen[fn]++);
	let room = Math.max(L.n + threads.length + 16, 1024), slots = 1 << Math.ceil(Math.log2(room * 1.7)), table = merges ? new Int32Array(slots) : null;
	T.parent = new Int32Array(room);
	T.fn = new Int32Array(room);
	T.delta = about.diff ? new Float64Array(room) : null;
	const add = (parent, fn) => {
		if (T.n === room) {
			room *= 2;
			T.parent = grown(T.parent, room);
			T.fn = grown(T.fn, room);
			if (T.delta)
				T.delta = grown(T.delta, room);
		}
		T.parent[T.n] = parent;
		T.fn[T.n] = fn;
		return T.n++;
	};
	const hash = (parent, fn) => {
		let h = Math.imul(parent + 1, 0x9e3779b1) ^ Math.imul(fn + 1, 0x85ebca6b);
		h = Math.imul(h ^ h >>> 15, 0x2c1b3c6d);
		return (h ^ h >>> 13) & slots - 1;
	};
	const free = (parent, fn) => {
		let slot = hash(parent, fn);
		while (table[slot])
			slot = slot + 1 & slots - 1;
		return slot;
	};
	// If each function has one line, nodes of the file that differ are nodes that differ here, so nobody needs to look for them.
	const child = !merges ? add : (parent, fn) => {
		let slot = hash(parent, fn), t;
		while ((t = table[slot] - 1) >= 0) {
			if (T.parent[t] === parent && T.fn[t] === fn)
				return t;
			slot = slot + 1 & slots - 1;
		}
		if (T.n === room) {
			table = new Int32Array(slots *= 2);
			for (let i = 0; i < T.n; i++)
				table[free(T.parent[i], T.fn[i])] = i + 1;
			slot = free(parent, fn);
		}
		table[slot] = T.n + 1;
		return add(parent, fn);
	};
	const byComm = threads.map((_, i) => i), place = new Int32Array(L.n), owner = new Int32Array(L.n), used = new Uint8Array(L.n);
	const comm = t => about.diff ? "" : t.comm;
	byComm.sort((a, b) => comm(threads[a]) < comm(threads[b]) ? -1 : comm(threads[a]) > comm(threads[b]) ? 1 : a - b);
	R.node = new Int32Array(R.n);
	const kinds = F.kind, moduleNumber = modules.push("process") - 1, fnModules = [...F.module];
	const grow = (l, parent) => {
		const node = place[l] = child(parent, L.fn[L.site[l]]);
		if (T.delta)
			T.delta[node] = L.share[l];
		return node;
	};
	// Of many runs: all nodes of the file in their order, which is that of memory.
	const buildAll = (mine, root) => {
		used.fill(0);
		for (const t of mine)
			for (let r = t.lo; r < t.hi; r++)
				if (R.lined[r] >= 0)
					used[R.lined[r]] = 1;
		for (let l = L.n - 1; l >= 0; l--)
			if (used[l] && L.parent[l] >= 0)
				used[L.parent[l]] = 1;
		for (let l = 0; l < L.n; l++)
			if (used[l])
				grow(l, L.parent[l] < 0 ? root : place[L.parent[l]]);
		for (const t of mine)
			for (let r = t.lo; r < t.hi; r++)
				R.node[r] = R.lined[r] < 0 ? root : place[R.lined[r]];
	};
	// Of few runs: from each node outward to the first that is known.
	const buildSome = (mine, root) => {
		const mark = root + 1, path = [];
		for (const t of mine)
			for (let r = t.lo; r < t.hi; r++) {
				let l = R.lined[r];
				while (l >= 0 && owner[l] !== mark) {
					path.push(l);
					l = L.parent[l];
				}
				let node = l < 0 ? root : place[l];
				while (path.length) {
					l = path.pop();
					node = grow(l, node);
					owner[l] = mark;
				}
				R.node[r] = node;
			}
	};
	for (let i = 0, k; i < byComm.length; i = k) {
		const name = comm(threads[byComm[i]]), mine = [];
		for (k = i; k < byComm.length && comm(threads[byComm[k]]) === name; k++)
			mine.push(threads[byComm[k]]);
		F.name.push(name || "all");
		F.file.push("");
		F.line.push(0);
		kinds.push(PROCESS);
		fnModules.push(moduleNumber);
		const root = child(-1, F.n++);
		(mine.reduce((runs, t) => runs + t.hi - t.lo, 0) * 8 > L.n ? buildAll : buildSome)(mine, root);
	}
	F.module = Int32Array.from(fnModules);
	F.kind = Uint8Array.from(kinds);
	T.parent = T.parent.slice(0, T.n);
	T.fn = T.fn.slice(0, T.n);
	linkChildren();
	chooseMine();
}

// Children of node t: T.child[T.head[t]] to T.child[T.head[t + 1]]; roots are those of T.n.
function linkChildren() {
	const head = T.head = new Int32Array(T.n + 3), at = new Int32Array(T.n + 2);
	const up = t => T.parent[t] < 0 ? T.n : T.parent[t];
	for (let t = 0; t < T.n; t++)
		head[up(t) + 1]++;
	for (let t = 0; t <= T.n; t++)
		at[t + 1] = head[t + 1] += head[t];
	at[0] = 0;
	T.child = new Int32Array(T.n);
	for (let t = 0; t < T.n; t++)
		T.child[at[up(t)]++] = t;
	T.sorted = new Uint8Array(T.n + 1);
}

const languages = { "[python]": "Python", "[ruby]": "Ruby", "[javascript]": "JavaScript", "[php]": "PHP" };

// Code of one's own: not the kernel's, no mark of prof's, no shared library of the system's, no interpreter and what comes with it.
const installed = /\/(site|dist)-packages\/|\/lib(32|64)?\/(python\d[^/]*|ruby)\/|\/gems\/|\/node_modules\/|^node:|^$|^<(frozen |internal:)|\/importlib\/_bootstrap/;
function chooseMine() {
	const system = /^\/(usr\/(local\/)?)?lib(exec|32|64|x32)?\/|^\/(nix|gnu)\/store\/|\/(site|dist)-packages\//, paths = new Map();
	const interpreter = modules.includes("[python]") ? /(^|\/)(lib)?python[\d.]*t?(\.so[\d.]*)?$|\/lib-dynload\// :
		modules.includes("[ruby]") ? /(^|\/)(lib)?ruby-?[\d.]*(\.so[\d.]*)?$/ :
		modules.includes("[javascript]") ? /(^|\/)(node|libnode\.so[\d.]*)$/ :
		modules.includes("[php]") ? /(^|\/)(lib)?php(-fpm|-cgi)?[\d.]*(\.so)?$|\/usr\/lib\/php\/\d+\// : /^$/;
	for (const [file] of about.mappings)
		paths.set(file.slice(file.lastIndexOf("/") + 1), file);
	F.mine = modules.map(module => {
		const path = module.includes("/") ? module : paths.get(module) || "/usr/lib/" + module;
		if (!module || /^\[/.test(module) || interpreter.test(path))
			return false;
		return module === "process" || !(/\.so(\.|$)/.test(path) && system.test(path)) && !/\.ko(\.|$)/.test(path);
	});
}

// ---- numbers as text

const digits = (v, n) => v.toFixed(n).replace(/\B(?=(\d{3})+(?!\d))/, ",");
const size = v => v < 1024 ? count(v) + " B" : v < 2 ** 20 ? (v / 1024).toFixed(1) + " KiB" : v < 2 ** 30 ? (v / 2 ** 20).toFixed(2) + " MiB" : (v / 2 ** 30).toFixed(2) + " GiB";
const count = v => String(Math.round(v)).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
function time(ns) {
	const a = Math.abs(ns);
	if (a >= 1e10)
		return digits(ns / 1e9, 1) + " s";
	if (a >= 1e9)
		return digits(ns / 1e9, 2) + " s";
	if (a >= 1e6)
		return digits(ns / 1e6, a >= 1e8 ? 0 : a >= 1e7 ? 1 : 2) + " ms";
	return a >= 1e3 ? digits(ns / 1e3, a >= 1e5 ? 0 : 1) + " µs" : Math.round(ns) + " ns";
}
const percent = (part, whole) => {
	const p = whole ? 100 * part / whole : 0;
	return p >= 99.95 ? "100%" : p && p < 0.05 ? "<0.1%" : p.toFixed(p < 10 ? 1 : 1) + "%";
};
const many = (n, one, more) => count(n) + " " + (n === 1 ? one : more || one + "s");
