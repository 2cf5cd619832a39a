// The call tree as a table: who calls whom, each row unfolds to what it calls, with self and total.

const INDENT = 14, DEEPEST = 24;   // px; levels beyond which rows move no further to the right
// Paths of functions, joined by dots, of rows that are unfolded; what is shown now; the row that is picked.
let unfolded = null, tree = { key: "", root: null, list: [], at: -1 };

const treeColumns = [["self", "Self", (a, b) => b.self - a.self], ["total", "Total", (a, b) => b.w - a.w],
	["name", "Function", (a, b) => nameOf(a.fn) < nameOf(b.fn) ? -1 : nameOf(a.fn) > nameOf(b.fn) ? 1 : 0],
	["module", "Module", (a, b) => moduleOf(a.fn) < moduleOf(b.fn) ? -1 : moduleOf(a.fn) > moduleOf(b.fn) ? 1 : 0]];

// What a row calls, in the chosen order.
function branches(g) {
	const kids = kidsOf(g, false), sign = S.treeSort[0] === "-" ? -1 : 1, by = treeColumns.find(([name]) => name === S.treeSort.replace("-", ""))[2];
	for (const kid of kids)
		kidsOf(kid, false);
	return [...kids].sort((a, b) => sign * by(a, b) || b.w - a.w || a.fn - b.fn);
}

// The heaviest way down from G: a row stays folded where less than a twentieth of all goes on.
function unfoldHeaviest(g, path) {
	for (let i = 0; i < 200; i++) {
		const next = kidsOf(g, false).reduce((a, b) => !a || b.w > a.w ? b : a, null);
		if (!next || g.fn >= 0 && next.w < W.shown / 20)
			return;
		if (g.fn >= 0)
			unfolded.add(path.join("."));
		g = next;
		path = [...path, g.fn];
	}
}

// The rows that are to be seen, from the outermost function down.
function treeList() {
	if (tree.version !== W.version)
		tree = { version: W.version, key: "", root: rootGroup(), list: [], at: -1 };
	if (!unfolded) {
		unfolded = new Set();
		unfoldHeaviest(tree.root, []);
	}
	for (let i = 1; i < S.branch.length; i++)
		unfolded.add(S.branch.slice(0, i).join("."));
	const key = [S.treeSort, unfolded.size, tree.changes].join();
	if (tree.key !== key) {
		const list = [], todo = branches(tree.root).reverse().map(g => [g, [g.fn]]);
		while (todo.length && list.length < 100000) {
			const [g, path] = todo.pop(), name = path.join("."), kids = kidsOf(g, false), open = kids.length > 0 && unfolded.has(name);
			list.push({ g, path, name, open, leaf: !kids.length });
			if (open)
				for (const kid of branches(g).reverse())
					todo.push([kid, [...path, kid.fn]]);
		}
		Object.assign(tree, { key, list });
	}
	const picked = S.branch.join(".");
	tree.at = picked ? tree.list.findIndex(row => row.name === picked) : -1;
	return tree.list;
}
const treePicked = () => S.view === "tree" && tree.at >= 0 ? tree.list[tree.at] : null;

function fold(row, open) {
	open ? unfolded.add(row.name) : unfolded.delete(row.name);
	tree.changes = (tree.changes || 0) + 1;
	pickBranch(row);
}
function pickBranch(row) {
	go({ branch: row.path }, "again");
	drawn.hash = null;
}

function drawTree() {
	const list = treeList(), box = $("branches"), first = Math.max(0, Math.floor(box.scrollTop / LINE) - 3), n = Math.ceil(box.clientHeight / LINE) + 8;
	$("treeColumns").replaceChildren(...columnHeads(treeColumns, S.treeSort, treeSort => go({ treeSort })));
	$("treeHeight").style.height = list.length * LINE + "px";
	$("treeHeight").replaceChildren(...list.slice(first, first + n).map((row, i) => branchRow(row, first + i)));
}

function branchRow(row, at) {
	const { g, path } = row, level = path.length, mark = el("span", { className: "twig", textContent: row.leaf ? "" : row.open ? "▾" : "▸" });
	mark.style.marginLeft = Math.min(level - 1, DEEPEST) * INDENT + "px";
	const line = el("div", { className: "row" + (at === tree.at ? " on" : "") },
		el("span", { textContent: g.self > 0 ? amount(g.self) : "" }), W.base ? g.self > 0 || shareOf(g.selfBase, W.base.shown) > 5e-5 ? inPoints(g.self, g.selfBase) : el("span") : g.self > 0 ? share(g.self, W.shown) : el("span"), el("span", { textContent: amount(g.w) }), W.base ? inPoints(g.w, g.base) : share(g.w, W.shown),
		el("span", { className: "text name" + (found && found[g.fn] ? " hit" : ""), title: cut(nameOf(g.fn), 400) }, mark, dot(g.fn), level > DEEPEST ? "(" + level + ") " : "", cut(nameOf(g.fn), 300)),
		el("span", { className: "text module", textContent: cut(moduleOf(g.fn), 80) }));
	line.style.top = at * LINE + "px";
	line.setAttribute("role", "treeitem");
	line.setAttribute("aria-level", level);
	line.setAttribute("aria-selected", at === tree.at);
	if (!row.leaf)
		line.setAttribute("aria-expanded", row.open);
	line.onclick = () => row.leaf ? pickBranch(row) : fold(row, !row.open);
	line.oncontextmenu = e => {
		e.preventDefault();
		pickBranch(row);
		frameMenu(e.clientX, e.clientY, g.fn, () => path.map(nameOf), () => go({ view: "flame", zoom: path }), "Zoom in the flame graph");
	};
	return line;
}

// Keys: up and down over rows; right unfolds, or steps in; left folds, or steps out.
function stepTree(key) {
	const list = treeList(), row = list[tree.at];
	let to = tree.at;
	if (!list.length)
		return;
	if (!row)
		to = key === "ArrowUp" ? list.length - 1 : 0;
	else if (key === "ArrowDown" || key === "ArrowUp")
		to = Math.min(list.length - 1, Math.max(0, to + (key === "ArrowDown" ? 1 : -1)));
	else if (key === "ArrowRight") {
		if (!row.leaf && !row.open)
			return fold(row, true);
		to += row.leaf ? 0 : 1;
	} else {
		if (row.open)
			return fold(row, false);
		to = Math.max(0, list.findIndex(other => other.name === row.path.slice(0, -1).join(".")));
	}
	showBranch(to);
}
function showBranch(to) {
	const box = $("branches"), y = to * LINE;
	if (to < 0)
		return;
	pickBranch(tree.list[to]);
	if (y < box.scrollTop || y > box.scrollTop + box.clientHeight - LINE)
		box.scrollTop = Math.max(0, y - box.clientHeight / 3);
}
function toggleBranch() {
	const row = treePicked();
	if (row && !row.leaf)
		fold(row, !row.open);
}
// Unfolds the heaviest way below the picked row, or from the top.
function unfoldWay() {
	const row = (treeList(), treePicked());
	unfoldHeaviest(row ? row.g : tree.root, row ? row.path : []);
	tree.changes = (tree.changes || 0) + 1;
	drawn.hash = null;
	repaint();
}

// Frames that the search finds, wherever they are folded away; those that weigh next to nothing are left out.
function branchMatches() {
	const out = [], todo = [[tree.root, []]], least = W.shown / 20000;
	while (todo.length && out.length < 5000) {
		const [g, path] = todo.pop();
		if (g.fn >= 0 && found[g.fn])
			out.push(path);
		for (const kid of branches(g).reverse())
			if (kid.w >= least)
				todo.push([kid, [...path, kid.fn]]);
	}
	return out;
}
function nextBranch(by) {
	treeList();
	const all = branchMatches(), now = S.branch.join("."), at = all.findIndex(path => path.join(".") === now);
	const next = at < 0 ? (by > 0 ? 0 : all.length - 1) : (at + by + all.length) % all.length;
	if (!all.length)
		return [0, 0];
	S.branch = all[next];
	treeList();
	showBranch(tree.at);
	return [next + 1, all.length];
}
