// What is shown, as files: folded stacks, speedscope's JSON and pprof's protobuf; and how a page hands a file over.

// Calls VISIT with each stack that is shown (functions, the outermost first) and its weight; UNDER: only those below these nodes.
function eachShownStack(under, visit) {
	let inside = null;
	if (under) {
		inside = new Uint8Array(T.n);
		for (const t of under)
			inside[t] = 1;
	}
	for (let t = 0; t < T.n; t++) {
		if (inside && T.parent[t] >= 0 && inside[T.parent[t]])
			inside[t] = 1;
		if (W.self[t] <= 0 || inside && !inside[t])
			continue;
		const path = [];
		for (let at = t; at >= 0; at = T.parent[at])
			if (!hidden[T.fn[at]] || F.kind[T.fn[at]] === PROCESS)
				path.push(T.fn[at]);
		visit(path.reverse(), W.self[t]);
	}
}

// process;outermost;…;innermost COUNT
function folded(under) {
	const lines = new Map(), unit = S.event === "all" || isWaiting(S.event) ? 1000 : periodOf(S.event) || 1;
	const clean = name => name.replace(/;/g, ":").replace(/\s/g, " ");
	eachShownStack(under, (path, w) => {
		const line = path.map(f => clean(F.name[f])).join(";");
		lines.set(line, (lines.get(line) || 0) + w);
	});
	return [...lines].map(([line, w]) => [line, Math.round(w / unit)]).filter(([, n]) => n > 0).sort((a, b) => a[0] < b[0] ? -1 : 1)
		.map(([line, n]) => line + " " + n + "\n").join("");
}

const unitName = () => S.event === "all" ? "time" : (about.events[S.event] || { name: "samples" }).name;

function speedscope(under) {
	const frames = [], numbers = new Map(), samples = [], weights = [];
	const frame = f => {
		if (!numbers.has(f))
			numbers.set(f, frames.push({ name: F.name[f], file: F.file[f] || undefined, line: F.line[f] || undefined }) - 1);
		return numbers.get(f);
	};
	eachShownStack(under, (path, w) => {
		samples.push(path.map(frame));
		weights.push(Math.round(w));
	});
	return JSON.stringify({ $schema: "https://www.speedscope.app/file-format-schema.json", exporter: about.exporter, name: about.title, shared: { frames },
		profiles: [{ type: "sampled", name: unitName(), unit: isTime() ? "nanoseconds" : isBytes() ? "bytes" : "none", startValue: 0, endValue: weights.reduce((a, b) => a + b, 0), samples, weights }] });
}

// Protocol buffers (profile.proto): a message is a list of fields, each a tag and a number or bytes.
class Message {
	constructor() {
		this.bytes = [];
	}
	varint(v) {
		for (; v > 127; v = Math.floor(v / 128))
			this.bytes.push(v % 128 | 128);
		this.bytes.push(v);
	}
	number(field, v) {
		if (v) {
			this.varint(field * 8);
			this.varint(v);
		}
		return this;
	}
	put(field, bytes) {
		this.varint(field * 8 + 2);
		this.varint(bytes.length);
		for (const byte of bytes)
			this.bytes.push(byte);
		return this;
	}
	list(field, numbers) {
		const inner = new Message();
		numbers.forEach(v => inner.varint(v));
		return this.put(field, inner.bytes);
	}
}

function pprof(under) {
	const out = new Message(), strings = [""], stringOf = new Map([["", 0]]), functions = new Set(), mappings = new Map(), utf8 = new TextEncoder();
	const text = s => {
		if (!stringOf.has(s))
			stringOf.set(s, strings.push(s) - 1);
		return stringOf.get(s);
	};
	const type = () => new Message().number(1, text(isTime() ? "time" : unitName())).number(2, text(isTime() ? "nanoseconds" : isBytes() ? "bytes" : "count")).bytes;
	out.put(1, type());
	eachShownStack(under, (path, w) => {
		path.forEach(f => functions.add(f));
		out.put(2, new Message().list(1, path.map(f => f + 1).reverse()).list(2, [Math.round(w)]).bytes);
	});
	for (const f of functions) {
		const m = F.module[f];
		if (!mappings.has(m))
			mappings.set(m, mappings.size + 1);
		const line = new Message().number(1, f + 1).number(2, F.line[f]);
		out.put(4, new Message().number(1, f + 1).number(2, mappings.get(m)).put(4, line.bytes).bytes);
		out.put(5, new Message().number(1, f + 1).number(2, text(F.name[f])).number(3, text(F.name[f])).number(4, text(F.file[f])).number(5, F.line[f]).bytes);
	}
	for (const [m, id] of mappings)
		out.put(3, new Message().number(1, id).number(5, text(modules[m])).number(7, 1).bytes);
	for (const s of strings)
		out.put(6, utf8.encode(s));
	if (!about.timeless)
		out.number(10, Math.round(S.range ? (S.range[1] - S.range[0]) * 1000 : about.length));
	return Uint8Array.from(out.bytes);
}

// ---- handing over

function isSandboxed() {
	try {
		return !localStorage;
	} catch {
		return true;
	}
}

// DATA as a file to be saved.  A page in a sandbox may not be allowed to: there it shows a link, and the text where it is one.
function hand(name, data, type, told) {
	const url = URL.createObjectURL(new Blob([data], { type })), link = el("a", { href: url, download: name, textContent: "Download " + name });
	if (isSandboxed()) {
		const text = typeof data === "string" && !/^<!doctype/.test(data) ? el("textarea", { value: data, readOnly: true }) : "";
		sheet("Save", el("p", {}, link), text);
		if (text)
			text.select();
		return;
	}
	link.click();
	setTimeout(() => URL.revokeObjectURL(url), 10000);
	toast("saved " + told + " as " + name);
}

const fileName = suffix => (about.title.replace(/[^\w.-]+/g, "-").slice(0, 60) || "profile") + suffix;

function save(format) {
	bringUpToDate();
	const zoomed = S.view === "flame" && S.zoom.length ? picture.find(S.zoom) : null, under = zoomed && zoomed.parent ? zoomed.nodes : null;
	if (format === "speedscope")
		hand(fileName(".speedscope.json"), speedscope(under), "application/json", "what is shown");
	else if (format === "pprof")
		hand(fileName(".pb"), pprof(under), "application/octet-stream", "what is shown");
	else {
		const text = folded(under);
		hand(fileName(".folded"), text, "text/plain", many(text.split("\n").length - 1, "stack"));
	}
}

function saveMenu() {
	const r = $("save").getBoundingClientRect();
	openMenu(r.left, r.bottom + 4, [el("p", { textContent: "Save what the page shows" }), entry("Folded stacks", "s", () => save("folded")), entry("speedscope", "", () => save("speedscope")),
		entry("pprof", "", () => save("pprof")), el("hr"), entry("Notes; save the page with them", "a", showNotes)], $("save"));
}
