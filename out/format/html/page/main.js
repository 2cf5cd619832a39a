// The state, the address that holds it, keys, and the start.

let timeline, picture, order, heat, trail = [], trailAt = 0, foreign = false, lastHow = "";

// ---- the state in the address

function toHash() {
	const out = new URLSearchParams(), plain = fresh(), list = (key, items) => items.length && out.set(key, items.join("."));
	if (S.view !== plain.view)
		out.set("v", S.view);
	if (S.range)
		out.set("r", S.range.map(t => Math.round(t)).join("-"));
	if (S.base)
		out.set("d", S.base.map(t => Math.round(t)).join("-"));
	if (S.rows)
		list("t", [...S.rows]);
	if (S.event !== plain.event)
		out.set("e", S.event);
	list("z", S.zoom);
	list("u", S.up);
	list("f", S.focus);
	list("x", S.without);
	list("h", S.hidden);
	list("m", S.modules);
	if (S.pick >= 0)
		out.set("p", S.pick);
	if (S.search)
		out.set("q", S.search);
	if (S.mine)
		out.set("o", "1");
	if (S.processes !== null)
		out.set("g", S.processes ? "1" : "0");
	if (S.sort !== plain.sort)
		out.set("s", S.sort);
	if (S.flip)
		out.set("i", "1");
	if (S.byModule !== plain.byModule)
		out.set("c", S.byModule ? "m" : "k");
	list("b", S.branch);
	if (S.treeSort !== plain.treeSort)
		out.set("bs", S.treeSort);
	return out.toString();
}

// Whatever stands in the address: numbers within bounds, else as if it were not there.
function fromHash(text) {
	const get = new URLSearchParams(text), s = fresh();
	const list = (key, n) => (get.get(key) || "").split(".").filter(v => /^\d+$/.test(v) && +v < n).map(Number);
	if (["flame", "callers", "order", "table", "tree", "heat"].includes(get.get("v")) && !(about.timeless && ["order", "heat"].includes(get.get("v"))))
		s.view = get.get("v");
	const range = key => {
		const [, lo, hi] = /^(\d+)-(\d+)$/.exec(get.get(key) || "") || [];
		return !about.timeless && +lo < +hi ? [+lo, +hi] : null;
	};
	s.range = range("r");
	s.base = s.range && !about.diff ? range("d") : null;
	const ids = list("t", rows.length);
	s.rows = ids.length ? new Set(ids) : null;
	if (get.get("e") === "all")
		s.event = "all";
	else if (get.has("e"))
		s.event = Math.min(Math.max(0, parseInt(get.get("e"), 10) || 0), Math.max(0, about.events.length - 1));
	s.zoom = list("z", F.n);
	s.up = list("u", F.n);
	s.focus = list("f", F.n).slice(0, 30);
	s.without = list("x", F.n);
	s.hidden = list("h", F.n);
	s.modules = list("m", modules.length);
	s.pick = list("p", F.n)[0] ?? -1;
	s.search = get.get("q") || "";
	s.mine = get.get("o") === "1";
	s.processes = get.has("g") ? get.get("g") === "1" : null;
	if (/^-?((self|total)(Base|More)?|name|module)$/.test(get.get("s") || ""))
		s.sort = get.get("s");
	if (/^-?(self|total|name|module)$/.test(get.get("bs") || ""))
		s.treeSort = get.get("bs");
	s.branch = list("b", F.n);
	if (get.has("c"))
		s.byModule = get.get("c") === "m";
	s.flip = get.get("i") === "1";
	return s;
}

// Changes the state.  HOW: "new" step (the default), or "again": the same step goes on.
function go(change, how = "new") {
	Object.assign(S, change);
	if (!S.range)
		S.base = null;
	const hash = toHash();
	if (how === "new" && hash === trail[trailAt])
		how = "again";
	if (how === "new")
		trail = [...trail.slice(0, trailAt + 1), hash].slice(-200);
	else
		trail = [...trail.slice(0, trailAt), hash];
	trailAt = trail.length - 1;
	remember(hash, how);
	if (how === "again")
		gesture = performance.now();
	repaint();
}

// Browsers hold too frequent changes of the address against a page: while something is dragged it waits.
let pending = 0;
function remember(hash, how) {
	clearTimeout(pending);
	if (foreign)
		return;
	const write = () => {
		try {
			history[how === "new" ? "pushState" : "replaceState"](trailAt, "", location.href.split("#")[0] + "#" + hash);
		} catch {
			foreign = true;   // a page without an address of its own: back and forward are kept here alone
		}
	};
	if (how === "new")
		write();
	else
		pending = setTimeout(write, 250);
}

function restore(hash) {
	S = fromHash(hash);
	$("search").value = S.search;
	repaint();
}

function travel(by) {
	const to = trailAt + by;
	if (to < 0 || to >= trail.length)
		return;
	if (foreign) {
		trailAt = to;
		restore(trail[to]);
	} else
		history.go(by);
}

// ---- what is done with functions

function pick(f) {
	go({ view: "table", pick: f });
}
const focusOn = f => f >= 0 && !S.focus.includes(f) && go({ focus: [...S.focus, f].slice(0, 30) });
const exclude = f => f >= 0 && go({ without: [...S.without, f] });
const hideIt = f => f >= 0 && go({ hidden: [...S.hidden, f] });
function showInFlame(f) {
	go({ view: "flame", zoom: [], search: "^" + F.name[f].slice(0, 300).replace(/[.*+?^${}()|[\]\\]/g, "\\$&") + "$" });
	$("search").value = S.search;
}

function pickedFunction() {
	if (S.view === "table")
		return S.pick;
	if (S.view === "tree")
		return treePicked() ? treePicked().g.fn : -1;
	const at = S.view === "order" ? order.picked : S.view === "heat" ? null : picture.picked || picture.hover;
	return at ? at.fn : -1;
}
function pickedStack() {
	if (S.view === "order")
		return order.picked ? order.stackOf(order.picked) : [];
	if (S.view === "tree")
		return treePicked() ? treePicked().path.map(nameOf) : [];
	const g = S.view === "table" || S.view === "heat" ? null : picture.picked || picture.hover;
	return g ? picture.stackOf(g) : S.pick >= 0 ? [F.name[S.pick]] : [];
}

function showView() {
	const up = S.view === "callers", empty = !(W.shown > 0) && (S.view !== "heat" || !R.n);
	$("tables").hidden = S.view !== "table" || empty;
	$("tree").hidden = S.view !== "tree" || empty;
	$("ordered").hidden = S.view !== "order" || empty;
	$("heat").hidden = S.view !== "heat" || empty;
	$("picture").hidden = !isFlame() || empty;
	$("nothing").hidden = !empty;
	if (empty)
		$("nothing").textContent = !R.n ? "The profile is empty: nothing ran during the capture." : "Nothing ran in the time and threads that you chose. Press Esc or 0 to see more.";
	for (const b of $("views").children)
		b.setAttribute("aria-selected", b.dataset.view === S.view);
	if (isFlame() && picture.up !== up) {
		picture.up = up;
		picture.version = -1;
		picture.picked = null;
		$("picture").scrollTop = 0;
	}
	picture.turn(S.flip);
}

let drawn = {}, cost = 0, gesture = 0, settling = 0;
// While something is dragged over a profile so large that pictures cannot follow at once, they follow when it rests.
function isBusy() {
	const busy = cost > 20 && performance.now() - gesture < 80;
	clearTimeout(settling);
	if (busy)
		settling = setTimeout(repaint, 90);
	return busy;
}

// Before panes are painted: weights, and all that is not a canvas.
function beforePaint() {
	if (changed("theme", [dark, S.byModule])) {
		chooseTheme();
		drawLegend();
		detailKey = "";
	}
	const other = bringUpToDate(), hash = toHash();
	if (changed("legend", !!W.base))
		drawLegend();
	showView();
	const path = JSON.stringify([S.view, S.zoom, S.up]);
	if (isFlame() && path !== drawn.path && picture.root && picture.version === W.version && drawn.view === S.view)
		picture.jump(true);
	if (other || hash !== drawn.hash) {
		drawChips();
		drawTools();
		if (S.view === "table" && W.shown > 0)
			drawTable();
		if (S.view === "tree" && W.shown > 0)
			drawTree();
	}
	drawn = { hash, path, view: S.view };
}

function drawTools() {
	$("hits").textContent = !S.search ? "" : percent(W.matched, W.shown) + (stepped.search === S.search ? stepped.text : "");
	$("hits").title = S.search ? amount(W.matched) + " in stacks that match" : "";
	$("mine").setAttribute("aria-pressed", S.mine);
	$("flip").setAttribute("aria-pressed", S.flip);
	$("modules").setAttribute("aria-pressed", S.modules.length > 0);
	$("compare").setAttribute("aria-pressed", !!S.base);
	$("back").disabled = trailAt === 0;
	$("forward").disabled = trailAt >= trail.length - 1;
	$("events").value = String(S.event);
	$("next").disabled = $("previous").disabled = !S.search;
	if (document.activeElement !== $("search"))
		$("search").value = S.search;
}

let stepped = {};
function nextMatch(by) {
	if (!S.search)
		return;
	bringUpToDate();
	const [at, all] = S.view === "table" ? stepRow(by) : S.view === "tree" ? nextBranch(by) : S.view === "order" ? order.nextMatch(by) : picture.nextMatch(by);
	stepped = { search: S.search, text: " · " + at + "/" + all };
	drawTools();
}

// One step out of what is chosen last.
function out() {
	if (closeMenu())
		return;
	if (S.search) {
		$("search").value = "";
		go({ search: "" });
	} else if (S.view === "flame" && S.zoom.length)
		go({ zoom: [] });
	else if (S.view === "callers" && S.up.length)
		go({ up: [] });
	else if (S.base)
		dropBase();
	else if (S.range || S.rows)
		go({ range: null, rows: null });
	else if (S.focus.length || S.without.length || S.hidden.length || S.modules.length || S.mine)
		go({ focus: [], without: [], hidden: [], modules: [], mine: false });
	picture.picked = order.picked = null;
	picture.goal = null;
	if (picture.root && picture.version === W.version)
		picture.jump(true);
	repaint();
}

function zoomKey(by) {
	if (S.view === "order" || S.range) {
		const [lo, hi] = S.range || [0, timeline.length];
		scaleRange((lo + hi) / 2, by);
	} else if (isFlame())
		picture.scaleAt((picture.a + picture.b) / 2, by);
}

const keys = {
	"1": () => go({ view: "flame" }), "2": () => go({ view: "callers" }), "3": () => about.timeless || go({ view: "order" }), "4": () => go({ view: "table" }), "5": () => go({ view: "tree" }), "6": () => about.timeless || go({ view: "heat" }),
	"/": () => { $("search").focus(); $("search").select(); }, n: () => nextMatch(1), N: () => nextMatch(-1), Escape: out, "?": showKeys, i: showAbout,
	"0": () => { $("search").value = ""; go({ ...fresh(), view: S.view, event: S.event, sort: S.sort, treeSort: S.treeSort, flip: S.flip, byModule: S.byModule }); },
	f: () => focusOn(pickedFunction()), x: () => exclude(pickedFunction()), h: () => hideIt(pickedFunction()), o: () => go({ mine: !S.mine }), m: modulesMenu,
	p: () => pickedFunction() >= 0 && pick(pickedFunction()), s: () => save("folded"), S: saveMenu, a: showNotes, t: foldTimeline,
	c: () => pickedFunction() >= 0 ? copy(nameOf(pickedFunction())) : toast("first pick a frame or a function"), C: () => pickedStack().length ? copy(pickedStack().join("\n")) : toast("first pick a frame or a function"),
	"[": () => travel(-1), "]": () => travel(1), "+": () => zoomKey(0.5), "=": () => zoomKey(0.5), "-": () => zoomKey(2),
	",": () => slideRange(-0.5), ".": () => slideRange(0.5),
	e: () => { const all = [...$("events").options].map(o => o.value); setEvent(all[(all.indexOf(String(S.event)) + 1) % all.length]); },
	d: compare,
	Enter: () => {
		if (S.view === "heat")
			go({ view: "flame" });
		else if (S.view === "order" && order.picked)
			go({ range: [order.picked.from, order.picked.to] });
		else if (S.view === "tree")
			toggleBranch();
		else if (isFlame() && picture.picked)
			picture.choose(picture.picked, true);
	},
	w: showWaits, k: () => go({ byModule: !S.byModule }), r: () => go({ flip: !S.flip }),
	"*": () => S.view === "tree" && unfoldWay(),
};
for (const [key, n] of [["ArrowDown", 1], ["ArrowUp", -1], ["ArrowLeft", 0], ["ArrowRight", 0]])
	keys[key] = () => {
		if (S.view === "table")
			return n && stepRow(n);
		if (S.view === "tree")
			return stepTree(key);
		if (S.view === "heat")
			return heat.cells && heat.move(key);
		if (S.view === "order")
			return n ? $("ordered").scrollBy(0, n * 2 * ROW) : slideRange(key === "ArrowLeft" ? -0.1 : 0.1);
		picture.step(key);
	};

function pressed(e) {
	if (e.altKey || e.ctrlKey || e.metaKey || $("sheet").open)
		return;
	const field = e.target.matches("input:not([type=checkbox]),select,textarea");
	if (!$("menu").hidden && /^Arrow/.test(e.key)) {
		const all = [...$("menu").querySelectorAll("button,input")], at = all.indexOf(document.activeElement);
		all[(at + (e.key === "ArrowDown" || e.key === "ArrowRight" ? 1 : -1) + all.length) % all.length].focus();
		e.preventDefault();
		return;
	}
	if (field || e.target.matches("button,[type=checkbox]") && (e.key === "Enter" || e.key === " "))
		return;
	if (e.target.id === "split" && /^Arrow(Up|Down)$/.test(e.key))
		setTimeline($("timeline").offsetHeight + (e.key === "ArrowDown" ? LANE : -LANE));
	else if (keys[e.key])
		keys[e.key]();
	else
		return;
	e.preventDefault();
}

// ---- the timeline's height

function setTimeline(h) {
	$("timeline").style.height = Math.round(Math.max(RULER + 4, Math.min(h, innerHeight - 160))) + "px";
	repaint();
}
function fitTimeline() {
	setTimeline(about.timeless || !rows.length ? 0 : Math.min(RULER + timeline.shown.length * LANE + 4, innerHeight * 0.3));
}
function foldTimeline() {
	timeline.folded = !timeline.folded;
	$("fold").textContent = timeline.folded ? "▸" : "▾";
	$("fold").setAttribute("aria-expanded", !timeline.folded);
	timeline.arrange();
	fitTimeline();
}

function setEvent(value) {
	go({ event: value === "all" ? "all" : Number(value) });
}

function listen() {
	document.addEventListener("keydown", pressed);
	addEventListener("popstate", e => {
		if (typeof e.state === "number" && e.state < trail.length)
			trailAt = e.state;
		restore(location.hash.slice(1));
	});
	addEventListener("resize", () => repaint());
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { chooseTheme(); drawn = {}; repaint(); });
	document.addEventListener("pointerdown", e => {
		if (!$("menu").contains(e.target))
			$("menu").hidden = true;
	});
	$("views").onclick = e => e.target.dataset.view && go({ view: e.target.dataset.view });
	let typing = false;
	$("search").oninput = () => {
		go({ search: $("search").value }, typing ? "again" : "new");
		typing = true;
	};
	$("search").onblur = () => { typing = false; };
	$("search").onkeydown = e => {
		if (e.key === "Enter") {
			nextMatch(e.shiftKey ? -1 : 1);
			e.preventDefault();
		} else if (e.key === "Escape") {
			out();
			$("search").blur();
			e.stopPropagation();
		}
	};
	$("next").onclick = () => nextMatch(1);
	$("previous").onclick = () => nextMatch(-1);
	$("mine").onclick = () => go({ mine: !S.mine });
	$("waits").onclick = showWaits;
	$("compare").onclick = () => S.base ? dropBase() : compare();
	$("flip").onclick = () => go({ flip: !S.flip });
	$("modules").onclick = modulesMenu;
	$("save").onclick = saveMenu;
	addEventListener("beforeunload", e => unsaved && e.preventDefault());
	$("back").onclick = () => travel(-1);
	$("forward").onclick = () => travel(1);
	$("about").onclick = showAbout;
	$("help").onclick = showKeys;
	$("fold").onclick = foldTimeline;
	$("sort").onchange = e => { timeline.order = e.target.value; timeline.arrange(); repaint(); };
	$("events").onchange = e => setEvent(e.target.value);
	$("lines").addEventListener("scroll", () => requestAnimationFrame(drawRows));
	$("branches").addEventListener("scroll", () => requestAnimationFrame(drawTree));
	new ResizeObserver(() => S.view === "tree" && W.shown > 0 && drawTree()).observe($("branches"));
	new ResizeObserver(() => S.view === "table" && W.shown > 0 && drawRows()).observe($("lines"));
	let from = null;
	$("split").onpointerdown = e => {
		from = { y: e.clientY, h: $("timeline").offsetHeight };
		$("split").setPointerCapture(e.pointerId);
	};
	$("split").onpointermove = e => from && e.buttons && setTimeline(from.h + e.clientY - from.y);
	$("split").onpointerup = () => { from = null; };
}

function drawLegend() {
	const used = new Set(F.kind), entry = (colour, word) => {
		const d = el("span", { className: "dot" });
		d.style.background = colour;
		return el("span", {}, d, word);
	};
	if (S.byModule && !moduleRank)
		rankModules();
	const kinds = S.byModule ? moduleRank.order.slice(0, 6).map(m => entry(moduleColour(m, 6), cut(modules[m].split("/").pop(), 24))) : kindWords.filter(([kind]) => used.has(kind) && !palettes[about.colors] && (kind !== PROCESS || showsProcesses())).map(([kind, word]) => entry(strong(kind), word));
	$("legend").replaceChildren(...about.diff || W.base ? [entry(shareColour(-0.1), "less"), entry(shareColour(0.1), "more")] : kinds,
		...about.events.some(e => e.waiting) ? [entry(ink.wait, "waiting")] : []);
}

async function start() {
	decode(new Uint8Array(await unpack("data", "deflate-raw")));
	keepParts();
	buildTree();
	makeRows();
	$("title").textContent = cut(about.title, 300);
	$("title").title = about.title.slice(0, 1000);
	S = fromHash(location.hash.slice(1));
	chooseTheme();
	const c = document.createElement("canvas").getContext("2d");
	c.font = FONT;
	charWidth = c.measureText("MMMMMMMMMM").width / 10;
	timeline = new Timeline($("threads"));
	picture = new Flame($("picture"), { up: S.view === "callers", root: rootGroup, path: () => picture.up ? S.up : S.zoom,
		zoomed: (path) => go(picture.up ? { up: path } : { zoom: path }) });
	order = new Order($("ordered"), timeline);
	heat = new Heat($("heated"), timeline);
	const names = about.events.map((e, i) => [String(i), e.name]);
	if (about.events.filter(e => e.period).length > 1)
		names.push(["all", "all time"]);
	$("events").replaceChildren(...names.map(([value, text]) => el("option", { value, textContent: cut(text, 40) })));
	$("events").hidden = names.length < 2;
	$("waits").hidden = !waitEvents();
	$("compare").hidden = about.diff;
	timeline.open();
	if (about.timeless || !R.n) {
		$("timeline").hidden = $("split").hidden = true;
		for (const view of ["order", "heat"])
			$("views").querySelector(`[data-view=${view}]`).disabled = true;
	}
	fitTimeline();
	$("search").value = S.search;
	trail = [toHash()];
	try {
		history.replaceState(0, "", location.href);
	} catch {
		foreign = true;
	}
	listen();
	repaint();
	await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
}
