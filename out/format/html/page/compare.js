// Two ranges of time compared: the one that is shown, and S.base, the other one.  Colours, tables and tips tell how shares differ.

// Weights of the other range, as W has them of the one that is shown.
function baseWeights() {
	const self = new Float64Array(T.n), all = sweep(R.node, self, null, S.base);
	for (let t = 0; passing && t < T.n; t++)
		if (!passing[t])
			self[t] = 0;
	const tot = self.slice();
	let shown = 0;
	for (let t = T.n - 1; t >= 0; t--)
		if (T.parent[t] >= 0)
			tot[T.parent[t]] += tot[t];
		else
			shown += tot[t];
	return { self, tot, shown, all };
}

const shareOf = (part, whole) => whole > 0 ? part / whole : 0;
// The share of weight V minus that of BASE in the other range.
const more = (v, base) => shareOf(v, W.shown) - shareOf(base, W.base.shown);
const points = (share, n = 1) => Math.abs(share) < 5e-5 ? "0" : (share > 0 ? "+" : "") + (100 * share).toFixed(n);
const inPoints = (v, base) => {
	const share = more(v, base);
	return el("span", { className: share > 5e-5 ? "more" : share < -5e-5 ? "less" : "soft", textContent: points(share) });
};
const rangeInWords = ([lo, hi]) => (lo ? time(lo * 1000) : "0 s") + " – " + time(hi * 1000);

// What a drag changes: with Shift a range that is there already becomes the one that the new one is compared with.
function dragged(range, e, told) {
	const second = !told && e.shiftKey && S.range && !about.diff;
	go(second ? { range, base: S.range } : { range }, told ? "again" : "new");
}

// Keeps the range to compare the next one with it; where there is one already, both change places.
function compare() {
	if (about.diff)
		toast("This profile is a comparison already.");
	else if (!S.range)
		toast("Drag a range first, then another one to compare with it.");
	else if (S.base)
		go({ range: S.base, base: S.range });
	else {
		go({ base: S.range });
		toast("Drag another range: prof compares it with this one.");
	}
}
const dropBase = () => go({ base: null });

// Chips: with what this range is compared.
function baseChips() {
	const swap = el("button", { className: "crumb", textContent: "⇄", title: "swap the two ranges (d)", ariaLabel: "swap the two ranges", onclick: compare });
	return S.base ? [chip("compared with " + rangeInWords(S.base), dropBase), swap] : [];
}

// ---- the table: shares in this range and in the other one, and how they differ

const comparedColumns = [["self", "Self", (a, b) => tableNow.self[b] - tableNow.self[a]], ["selfBase", "other", (a, b) => tableNow.base.self[b] - tableNow.base.self[a]],
	["selfMore", "±", (a, b) => more(tableNow.self[b], tableNow.base.self[b]) - more(tableNow.self[a], tableNow.base.self[a])],
	["total", "Total", (a, b) => tableNow.tot[b] - tableNow.tot[a]], ["totalBase", "other", (a, b) => tableNow.base.tot[b] - tableNow.base.tot[a]],
	["totalMore", "±", (a, b) => more(tableNow.tot[b], tableNow.base.tot[b]) - more(tableNow.tot[a], tableNow.base.tot[a])]];

// A row's cells before the name.
const comparedCells = f => [tableNow.self, tableNow.tot].flatMap((now, i) => {
	const base = i ? tableNow.base.tot : tableNow.base.self, cell = (v, all) => el("span", { textContent: v ? percent(v, all) : "", title: amount(v) });
	return [cell(now[f], W.shown), cell(base[f], W.base.shown), now[f] || base[f] ? inPoints(now[f], base[f]) : el("span")];
});
