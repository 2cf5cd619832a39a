// What of the profile is looked at, and its weights: of stacks, of functions, and stacks merged by callees or by callers.

// What is chosen: all of it stands in the page's address.
const fresh = () => ({ view: about.reverse ? "callers" : "flame", range: null, base: null, rows: null,
	event: about.events.some(e => e.waiting) ? "all" : 0, zoom: [], up: [], pick: -1, search: "",
	focus: [], without: [], hidden: [], modules: [], mine: false, processes: null, sort: "self", treeSort: "total", branch: [], flip: false, byModule: about.colors === "module" });
let S;
const isFlame = () => S.view === "flame" || S.view === "callers";

// Weights of what is chosen: of each node by itself and with what it calls.
// Of them what is waiting, where some is and some is not: waitSelf, wait.
const W = { self: null, tot: null, waitSelf: null, wait: null, total: 0, order: null, shown: 0, matched: 0, version: 0, keys: {},
	base: null, on: null };   // of the range that it is compared with; whether a stack has a match of the search
// Of each function: is it left out, does the search find it; of each node the nearest outer one that is shown, if not all.
let hidden, found, finding = null, visible = null, passing = null;

// A row of the timeline: a thread under one name, with its events.
let rows = [], groups = [];

function makeRows() {
	const byKey = new Map(), byPid = new Map();
	threads.forEach((t, i) => {
		const key = t.pid + "/" + t.tid + "/" + t.comm, period = periodOf(t.event);
		let row = byKey.get(key);
		if (!row) {
			row = { id: rows.length, pid: t.pid, tid: t.tid, comm: t.comm, title: t.title, parts: [], weight: 0, waited: 0, from: Infinity };
			byKey.set(key, row);
			rows.push(row);
		}
		row.parts.push(i);
		row[isWaiting(t.event) ? "waited" : "weight"] += t.weight * (period || 1);
		if (t.hi > t.lo)
			row.from = Math.min(row.from, R.from[t.lo]);
	});
	for (const row of rows) {
		let group = byPid.get(row.pid);
		if (!group) {
			group = { id: groups.length, pid: row.pid, rows: [], weight: 0, waited: 0, from: Infinity };
			byPid.set(row.pid, group);
			groups.push(group);
		}
		group.rows.push(row);
		row.group = group;
		group.weight += row.weight;
		group.waited += row.waited;
		group.from = Math.min(group.from, row.from);
	}
	for (const group of groups)
		group.comm = group.rows.reduce((a, b) => b.weight > a.weight || b.weight === a.weight && b.tid === b.pid ? b : a).comm;
}

// Threads, which may have had several names.
const countThreads = rows => new Set(rows.map(row => row.pid + "/" + row.tid)).size;

const periodOf = event => about.events[event] ? about.events[event].period : 0;
const isWaiting = event => !!about.events[event] && !!about.events[event].waiting;
const inEvent = event => S.event === "all" ? periodOf(event) > 0 : S.event === event;
const isTime = () => S.event === "all" || periodOf(S.event) > 0;
const isBytes = () => /(^| )bytes$/.test((about.events[S.event] || { name: "" }).name);
const amount = v => isTime() ? time(v) : isBytes() ? size(v) : count(v);
const isMine = f => F.kind[f] === PROCESS || F.kind[f] === JIT || (F.kind[f] === SCRIPT ? !installed.test(F.file[f]) : F.kind[f] !== KERNEL && F.kind[f] !== MARK && F.mine[F.module[f]]);

// Adds the chosen runs' weights to INTO[COLUMN[run]], those of waiting to WAITS, too.
function sweep(column, into, waits, range = S.range) {
	const [lo, hi] = range || [-Infinity, Infinity];
	let total = 0;
	for (const row of S.rows ? rows.filter(row => S.rows.has(row.id)) : rows)
		for (const part of row.parts) {
			const t = threads[part], scale = periodOf(t.event) || 1;
			if (!inEvent(t.event))
				continue;
			const also = isWaiting(t.event) ? waits : null;
			let i = range ? firstRun(t, lo) : t.lo;
			for (; i < t.hi && R.from[i] <= hi; i++) {
				const from = R.from[i], to = R.to[i], node = column[i];
				let w = R.weight[i] * scale;
				if (from < lo || to > hi)
					w = to > from ? w * Math.max(0, Math.min(to, hi) - Math.max(from, lo)) / (to - from) : 0;
				total += w;
				if (node >= 0)
					into[node] += w;
				if (also && node >= 0)
					also[node] += w;
			}
		}
	return total;
}

// The first of a thread's runs that does not end before TIME.
function firstRun(t, time) {
	let lo = t.lo, hi = t.hi;
	while (lo < hi) {
		const mid = lo + hi >>> 1;
		if (R.to[mid] < time)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

// Does KEY's value differ from last time's?
function changed(key, value) {
	const text = JSON.stringify(value), other = W.keys[key] !== text;
	W.keys[key] = text;
	return other;
}

function showsProcesses() {
	return S.processes === null ? new Set(threads.map(t => t.comm)).size > 1 && !about.diff : S.processes;
}

function chooseHidden() {
	if (!changed("hide", [S.hidden, S.modules, S.mine, S.processes]))
		return false;
	const drop = new Set(S.modules), processes = showsProcesses();
	hidden = new Uint8Array(F.n);
	for (let f = 0; f < F.n; f++)
		hidden[f] = F.kind[f] === PROCESS ? !processes : drop.has(F.module[f]) || S.mine && !isMine(f) ? 1 : 0;
	for (const f of S.hidden)
		hidden[f] = 1;
	visible = hidden.includes(1) ? new Int32Array(T.n) : null;
	for (let t = 0; visible && t < T.n; t++)
		visible[t] = !hidden[T.fn[t]] ? t : T.parent[t] < 0 ? -1 : visible[T.parent[t]];
	return true;
}

// Which nodes have all that is focused on, and nothing of what is excluded, in their stacks.
function passes(n, parent, fn) {
	if (!S.focus.length && !S.without.length)
		return null;
	const want = (1 << S.focus.length) - 1, bit = new Uint32Array(F.n), have = new Uint32Array(n);
	S.focus.forEach((f, i) => bit[f] |= 1 << i);
	for (const f of S.without)
		bit[f] |= 1 << 30;
	for (let t = 0; t < n; t++)
		have[t] = bit[fn(t)] | (parent[t] < 0 ? 0 : have[parent[t]]);
	return have.map(bits => bits === want ? 1 : 0);
}

function addUp() {
	if (!changed("sweep", [S.range, S.base, S.rows && [...S.rows], S.event, S.focus, S.without]))
		return false;
	if (changed("pass", [S.focus, S.without]))
		passing = passes(T.n, T.parent, t => T.fn[t]);
	if (!W.self) {
		W.self = new Float64Array(T.n);
		W.tot = new Float64Array(T.n);
	}
	const { self, tot } = W;
	self.fill(0);
	const waits = waitEvents() ? new Float64Array(T.n) : null;
	W.total = sweep(R.node, self, waits);
	for (let t = 0; passing && t < T.n; t++)
		if (!passing[t]) {
			self[t] = 0;
			if (waits)
				waits[t] = 0;
		}
	W.waitSelf = waits;
	W.wait = waits && waits.slice();
	W.waited = 0;
	for (let t = T.n - 1; waits && t >= 0; t--)
		if (T.parent[t] >= 0)
			W.wait[T.parent[t]] += W.wait[t];
		else
			W.waited += W.wait[t];
	tot.set(self);
	let shown = 0;
	for (let t = T.n - 1; t >= 0; t--) {
		const up = T.parent[t];
		if (up >= 0)
			tot[up] += tot[t];
		else
			shown += tot[t];
	}
	W.shown = shown;
	W.base = S.base ? baseWeights() : null;
	if (!W.order || changed("order", S.event)) {   // siblings keep their places while weights change
		W.order = tot.slice();
		T.sorted.fill(0);
	}
	return true;
}

function search() {
	const other = changed("search", S.search);
	if (other) {
		finding = null;
		if (S.search)
			try {
				finding = new RegExp(S.search, "i");
			} catch {
				finding = new RegExp(S.search.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i");
			}
		found = finding ? Uint8Array.from(F.name, name => finding.test(name) ? 1 : 0) : null;
	}
	return other;
}

function countFound() {
	W.matched = 0;
	W.on = null;
	if (!found)
		return;
	const on = W.on = new Uint8Array(T.n), { self } = W;
	let sum = 0;
	for (let t = 0; t < T.n; t++) {
		const f = T.fn[t], up = T.parent[t];
		on[t] = up >= 0 && on[up] || found[f] && !hidden[f] ? 1 : 0;
		if (on[t])
			sum += self[t];
	}
	W.matched = sum;
}

// Brings all weights up to date with what is chosen; true where pictures change.
function bringUpToDate() {
	const hide = chooseHidden(), add = addUp(), find = search();
	if (hide || add || find)
		countFound();
	if (hide || add) {
		W.version++;
		W.table = W.picked = null;
	}
	return hide || add || find;
}

// ---- stacks merged by callees (down) or by callers (up): nodes are made when someone looks

// g.nodes: the nodes of T that it stands for, and up: their shares of its weight, of its waiting, and of its weight in the range
// that this one is compared with.
const group = (parent, fn, nodes, weights, weight) => ({ parent, fn, nodes, weights, w: weight, wait: 0, waits: null, base: 0, bases: null, x: 0, rank: 0, kids: null, depth: parent ? parent.depth + 1 : 0 });

function sortChildren(t) {
	if (!T.sorted[t]) {
		T.sorted[t] = 1;
		if (T.head[t + 1] - T.head[t] > 1)
			T.child.subarray(T.head[t], T.head[t + 1]).sort((a, b) => W.order[b] - W.order[a] || T.fn[a] - T.fn[b]);
	}
}

function bucket(by, g, f, t, w, up, wait, base) {
	let kid = by.get(f);
	if (!kid)
		by.set(f, kid = Object.assign(group(g, f, [], up ? [] : null, 0), { waits: up ? [] : null, bases: up ? [] : null }));
	kid.w += w;
	kid.wait += wait;
	kid.base += base;
	if (up) {
		const at = slot[t] - 1;
		if (at >= 0 && kid.nodes[at] === t) {
			kid.weights[at] += w;
			kid.waits[at] += wait;
			kid.bases[at] += base;
			return;
		}
		slot[t] = kid.nodes.length + 1;
		kid.weights.push(w);
		kid.waits.push(wait);
		kid.bases.push(base);
	} else {
		kid.rank += W.order[t];
		if (T.delta)
			kid.delta = (kid.delta || 0) + T.delta[t];
	}
	kid.nodes.push(t);
}
let slot = null;   // of each node, its place in the bucket at hand + 1; only a hint

function kidsDown(g, by) {
	const more = [];
	for (const t of g.nodes) {
		more.push(t);
		while (more.length) {
			const at = more.pop();
			sortChildren(at);
			for (let i = T.head[at]; i < T.head[at + 1]; i++) {
				const c = T.child[i], w = W.tot[c], base = W.base ? W.base.tot[c] : 0;
				if (w <= 0 && base <= 0)
					continue;
				if (hidden[T.fn[c]])
					more.push(c);
				else
					bucket(by, g, T.fn[c], c, w, false, W.wait ? W.wait[c] : 0, base);
			}
		}
	}
}

// Nodes in the order of the functions that they show as, and where each function's begin.
let byFunction = { key: "" };
function nodesByFunction() {
	if (byFunction.key === W.keys.hide)
		return byFunction;
	const at = new Int32Array(F.n + 2), list = new Int32Array(T.n), shows = t => visible ? visible[t] < 0 ? F.n : T.fn[visible[t]] : T.fn[t];
	for (let t = 0; t < T.n; t++)
		at[shows(t) + 1]++;
	for (let f = 0; f <= F.n; f++)
		at[f + 1] += at[f];
	const to = at.slice();
	for (let t = 0; t < T.n; t++)
		list[to[shows(t)]++] = t;
	return byFunction = { key: W.keys.hide, at, list };
}

// What ran: functions by their own weight; their nodes are looked for when their callers are.
function whatRan(g, by) {
	const { at, list } = nodesByFunction();
	for (let f = 0; f < F.n; f++) {
		let w = 0, wait = 0, base = 0;
		for (let i = at[f]; i < at[f + 1]; i++) {
			w += W.self[list[i]];
			wait += W.waitSelf ? W.waitSelf[list[i]] : 0;
			base += W.base ? W.base.self[list[i]] : 0;
		}
		if (w > 0)
			by.set(f, Object.assign(group(g, f, null, null, w), { wait, base }));
	}
}

function fillIn(g) {
	const { at, list } = nodesByFunction();
	g.nodes = [];
	g.weights = [];
	g.waits = [];
	g.bases = [];
	for (let i = at[g.fn]; i < at[g.fn + 1]; i++)
		if (W.self[list[i]] > 0 || W.base && W.base.self[list[i]] > 0) {
			g.nodes.push(visible ? visible[list[i]] : list[i]);
			g.weights.push(W.self[list[i]]);
			g.waits.push(W.waitSelf ? W.waitSelf[list[i]] : 0);
			g.bases.push(W.base ? W.base.self[list[i]] : 0);
		}
}

function kidsUp(g, by) {
	if (!slot)
		slot = new Int32Array(T.n);
	if (g.fn < 0)
		return whatRan(g, by);
	if (!g.nodes)
		fillIn(g);
	for (let i = 0; i < g.nodes.length; i++) {
		let p = T.parent[g.nodes[i]];
		while (p >= 0 && hidden[T.fn[p]])
			p = T.parent[p];
		if (p >= 0)
			bucket(by, g, T.fn[p], p, g.weights[i], true, g.waits[i], g.bases[i]);
	}
}

function kidsOf(g, up) {
	if (g.kids)
		return g.kids;
	const by = new Map();
	(up ? kidsUp : kidsDown)(g, by);
	g.kids = [...by.values()].filter(kid => kid.w > 0);   // others only were in the range that this one is compared with
	g.selfBase = W.base ? [...by.values()].reduce((left, kid) => left - kid.base, g.base) : 0;
	if (g.kids.length > 1)
		g.kids.sort(up ? (a, b) => b.w - a.w || a.fn - b.fn : (a, b) => b.rank - a.rank || a.fn - b.fn);
	let x = g.x;
	for (const kid of g.kids) {
		kid.x = x;
		x += kid.w;
	}
	g.self = g.w - (x - g.x);
	return g.kids;
}

const rootGroup = () => Object.assign(group(null, -1, [T.n], null, W.shown), { wait: W.waited, base: W.base ? W.base.shown : 0 });

// A function with all that it calls, or all that calls it.
function groupOf(f, up) {
	const nodes = outermost(f).filter(t => W.tot[t] > 0 || W.base && W.base.tot[t] > 0), g = group(null, f, nodes, null, 0);
	g.weights = nodes.map(t => W.tot[t]);
	g.waits = nodes.map(t => W.wait ? W.wait[t] : 0);
	g.bases = nodes.map(t => W.base ? W.base.tot[t] : 0);
	[g.w, g.wait, g.base] = [g.weights, g.waits, g.bases].map(list => list.reduce((a, b) => a + b, 0));
	return g;
}

// Nodes of a function that are not below another of its own.
function outermost(f) {
	const nodes = [];
	flagOuter();
	for (let t = 0; t < T.n; t++)
		if (T.fn[t] === f && T.outer[t])
			nodes.push(t);
	return nodes;
}

function flagOuter() {
	if (T.outer)
		return;
	T.outer = new Uint8Array(T.n);
	const inside = new Int32Array(F.n), stack = [];
	for (let i = T.head[T.n]; i < T.head[T.n + 1]; i++) {
		stack.push(T.child[i]);
		while (stack.length) {
			const t = stack.pop();
			if (t < 0) {
				inside[T.fn[~t]]--;
				continue;
			}
			T.outer[t] = inside[T.fn[t]]++ === 0 ? 1 : 0;
			stack.push(~t);
			for (let c = T.head[t]; c < T.head[t + 1]; c++)
				stack.push(T.child[c]);
		}
	}
}

// Self and total of each function, of weights by node.
function sumByFunction(weights) {
	flagOuter();
	const self = new Float64Array(F.n), tot = new Float64Array(F.n);
	for (let t = 0; t < T.n; t++) {
		const v = visible ? visible[t] : t;
		if (v >= 0)
			self[T.fn[v]] += weights.self[t];
		if (T.outer[t] && !hidden[T.fn[t]])
			tot[T.fn[t]] += weights.tot[t];
	}
	return { self, tot };
}
const functionTable = () => W.table || (W.table = { ...sumByFunction(W), base: W.base && sumByFunction(W.base) });

// Of each line of function F: what ran there and with what it called.
function linesOf(f) {
	const self = new Float64Array(L.n), lines = new Map(), pass = passes(L.n, L.parent, l => L.fn[L.site[l]]);
	if (!L.some)
		return [];
	sweep(R.lined, self);
	for (let l = 0; pass && l < L.n; l++)
		if (!pass[l])
			self[l] = 0;
	const tot = self.slice();
	for (let l = L.n - 1; l >= 0; l--)
		if (L.parent[l] >= 0)
			tot[L.parent[l]] += tot[l];
	for (let l = 0; l < L.n; l++) {
		const site = L.site[l];
		if (L.fn[site] !== f || tot[l] <= 0)
			continue;
		let line = lines.get(L.line[site]), up = L.parent[l];
		if (!line)
			lines.set(L.line[site], line = { line: L.line[site], self: 0, tot: 0 });
		line.self += self[l];
		while (up >= 0 && L.site[up] !== site)
			up = L.parent[up];
		if (up < 0)
			line.tot += tot[l];
	}
	return [...lines.values()].sort((a, b) => a.line - b.line);
}
