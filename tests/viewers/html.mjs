// Opens prof's own pages in headless Chromium, does what a person does there, and looks at what is shown.
//
//     node html.mjs check DIR                    the profiles that tests/viewers/make wrote to DIR; leaves pictures there
//     node html.mjs large DIR                    whether a million samples open and move quickly
//     node html.mjs shot FILE PNG [HASH] [dark]  a picture
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { checker, launch, newPage } from "./browser.mjs";

const check = checker("html");

// Notes what is drawn as text, on which canvas and where, and how long each redraw takes.
function watch() {
	const draw = CanvasRenderingContext2D.prototype.fillText, frame = requestAnimationFrame;
	window.drawn = [];
	window.redraws = [];
	CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...rest) {
		const at = this.getTransform();
		window.drawn.push({ id: this.canvas.parentElement && this.canvas.parentElement.id, text, x: x * at.a / devicePixelRatio, y });
		return draw.call(this, text, x, y, ...rest);
	};
	window.nextFrame = f => frame(f);
	window.requestAnimationFrame = f => frame(t => {
		const start = performance.now();
		f(t);
		window.redraws.push(performance.now() - start);
	});
}

class Page {
	static async open(context, file, hash = "", page = null) {
		const p = new Page();
		p.problems = [];
		p.requests = [];
		p.page = page || await newPage(context, p.problems);
		p.page.on("request", request => /^(file|blob|data|about):/.test(request.url()) || p.requests.push(request.url()));
		await p.page.addInitScript(watch);
		await p.page.goto("file://" + resolve(file) + hash);
		await p.started(p.page);
		return p;
	}
	async started(frame) {
		await frame.waitForFunction(() => document.getElementById("page") && !document.getElementById("wait"), null, { timeout: 120000 });
		await this.rest();
	}
	// Until nothing moves any more.
	async rest() {
		await this.page.evaluate(() => new Promise(done => {
			let last = -1, since = 0;
			const look = () => {
				const now = performance.now();
				if (window.redraws.length !== last || !since)
					since = now;
				last = window.redraws.length;
				if (now - since > 150)
					done();
				else
					window.nextFrame(look);
			};
			window.nextFrame(look);
		}));
	}
	async press(...keys) {
		for (const key of keys)
			await this.page.keyboard.press(key);
		await this.rest();
	}
	// What a redraw draws on a canvas, by its pane.
	async texts(id) {
		await this.page.evaluate(() => { window.drawn = []; window.dispatchEvent(new Event("resize")); });
		await this.rest();
		return (await this.page.evaluate(() => window.drawn)).filter(t => t.id === id);
	}
	// The labels of frames as rows.
	async rows(id = "picture") {
		const rows = new Map();
		for (const { text, x, y } of await this.texts(id))
			rows.set(y, (rows.get(y) || new Map()).set(x, text));
		return [...rows.keys()].sort((a, b) => a - b).map(y => [...rows.get(y)].sort((a, b) => a[0] - b[0]).map(([, text]) => text).join(" "));
	}
	async find(id, text, nth = 0) {
		const all = (await this.texts(id)).filter(t => t.text === text).sort((a, b) => a.y - b.y || a.x - b.x), spot = all[nth];
		if (!spot)
			throw new Error(`no "${text}" in ${id}`);
		const box = await this.page.locator(`#${id} canvas`).boundingBox();
		return [box.x + spot.x + 3, box.y + spot.y];
	}
	async click(id, text, options = {}) {
		const [x, y] = await this.find(id, text, options.nth);
		await this.page.mouse.move(x, y);
		if (options.modifier)
			await this.page.keyboard.down(options.modifier);
		await this.page.mouse.click(x, y, { button: options.button || "left" });
		if (options.modifier)
			await this.page.keyboard.up(options.modifier);
		await this.rest();
	}
	// Drags over the timeline from one share of its time to another.
	async drag(from, to, id = "threads") {
		const box = await this.page.locator(`#${id} canvas`).boundingBox(), left = id === "threads" ? await this.names() : 0, w = box.width - left, y = box.y + 40;
		await this.page.mouse.move(box.x + left + from * w, y);
		await this.page.mouse.down();
		await this.page.mouse.move(box.x + left + to * w, y, { steps: 6 });
		await this.page.mouse.up();
		await this.rest();
	}
	// Where time begins: at the ruler's first mark.
	async names() {
		return Math.min(...(await this.texts("threads")).filter(t => t.y < 15 && /^0(\.0*)? m?s$/.test(t.text)).map(t => t.x)) - 4;
	}
	text(selector) {
		return this.page.locator(selector).innerText();
	}
	async chips() {
		return (await this.page.locator("#chips > *").allInnerTexts()).map(text => text.replace(/\s+/g, " ").trim());
	}
	// Self, total and name of the table's rows.
	async table() {
		return (await this.page.locator("#lines .row").allInnerTexts()).map(text => text.split("\n").map(s => s.trim()).filter(Boolean).join(" "));
	}
	async menu(text) {
		await this.page.locator("#menu button", { hasText: text }).first().click();
		await this.rest();
	}
	close() {
		return this.page.close();
	}
}

const plainFlame = ["all", "app gzip", "clone _start [truncated]", "start_thread main deflate", "fib work read_file", "fib hash_round small_[i] do_syscall_64_[k]", "fib copy_to_user_[k]"];

async function checkViews(context, dir) {
	const p = await Page.open(context, join(dir, "plain.html"));
	check("flame", (await p.rows()).map(row => row.replace(/ kw\S*| k…/, "")), plainFlame);
	check("title", await p.page.title(), "./app --fast");
	await p.page.screenshot({ path: join(dir, "html-flame.png") });
	await p.press("2");
	const callers = await p.rows();
	check("callers", callers.slice(0, 3), ["all", "fib hash_round copy_to_user_[k] small_[i] deflate kwo…", "fib work do_syscall_64_[k] work [truncated]"]);
	await p.press("3");
	const lanes = (await p.rows("ordered")).join("\n");
	check("time-order", ["thread 100 of 100", "hash_round", "copy_to_", "fib", "deflate"].filter(text => !lanes.includes(text)), []);
	await p.page.screenshot({ path: join(dir, "html-order.png") });
	await p.press("4");
	check("table", (await p.table()).slice(0, 3), ["16.0 ms 47.1% 16.0 ms 47.1% fib app", "7.00 ms 20.6% 7.00 ms 20.6% hash_round app", "4.00 ms 11.8% 4.00 ms 11.8% copy_to_user_[k] [kernel]"]);
	await p.page.click("[data-sort=total]");
	await p.rest();
	check("table-by-total", (await p.table()).slice(0, 2), ["30.0 ms 88.2% app", "16.0 ms 47.1% 16.0 ms 47.1% fib app"]);
	await p.page.click("[data-sort=name]");
	await p.rest();
	check("table-by-name", (await p.table())[0].includes("[truncated]"), true);
	await p.page.click("[data-sort=name]");
	await p.rest();
	check("table-turned-round", (await p.table())[0].includes("work"), true);
	await p.page.locator(".row", { hasText: "main" }).click();
	await p.rest();
	const pair = (await p.page.locator("#detail .pair > div").allInnerTexts()).map(text => text.split(/\s*\n\s*/).join(" "));
	check("sandwich", pair.map(text => text.replace(/^\w+ /, "")), ["14.0 ms 100% _start", "10.0 ms 71.4% work 4.00 ms 28.6% read_file"]);
	check("sandwich-says-where", (await p.text("#detail .about >> nth=0")).includes("src/main.c:42"), true);
	const frames = (await p.texts("")).map(t => t.text);
	check("sandwich-flames", ["_start", "hash_round", "copy_to_user_[k]"].filter(name => !frames.includes(name)), []);
	await p.page.screenshot({ path: join(dir, "html-table.png") });
	await p.page.locator("#detail .edge", { hasText: "read_file" }).click();
	await p.rest();
	check("to-a-callee", await p.text("#detail h2"), "read_file");
	check("views-no-complaints", [p.problems, p.requests], [[], []]);
	await p.close();
}

async function checkChoosing(context, dir) {
	const p = await Page.open(context, join(dir, "plain.html"));
	check("sum", await p.chips(), ["34.0 ms · 4 threads"]);
	await p.drag(0.5, 1);
	check("range", (await p.chips()).map(text => text.replace(/[\d.]+ ms – [\d.]+ ms/, "RANGE")), ["5.00 ms · 4 threads", "RANGE ×"]);
	check("range-in-flame", (await p.rows()).slice(-2), ["do_syscall_64_[k]", "copy_to_user_[k]"]);
	await p.press("2");
	check("range-in-callers", (await p.rows())[1], "copy_to_user_[k] kworker");
	await p.press("3");
	check("range-in-time-order", (await p.rows("ordered")).join().includes("hash_round"), false);
	await p.press("4");
	check("range-in-table", (await p.table())[0], "4.00 ms 80.0% 4.00 ms 80.0% copy_to_user_[k] [kernel]");
	await p.press("1", "Escape");
	check("range-gone", await p.chips(), ["34.0 ms · 4 threads"]);
	await p.click("threads", "gzip");
	check("one-thread", [await p.chips(), (await p.rows()).slice(1, 4)], [["3.00 ms", "gzip 200 ×"], ["gzip", "[truncated]", "deflate"]]);
	await p.click("threads", "kworker", { modifier: "Control" });
	check("two-threads", await p.chips(), ["4.00 ms", "2 threads ×"]);
	await p.page.click(".chip button");
	await p.rest();
	await p.click("threads", "▾");
	check("collapsed", (await p.texts("threads")).some(t => t.text === "▸"), true);
	await p.page.selectOption("#sort", "name");
	await p.rest();
	const names = (await p.texts("threads")).filter(t => t.x > 4 && t.x < 40 && t.y > 40).sort((a, b) => a.y - b.y).map(t => t.text).filter(t => /^[a-z]/.test(t));
	check("sorted-by-name", names, ["app", "gzip", "kworker"]);
	await p.press("t");
	check("folded-timeline", (await p.texts("threads")).filter(t => t.text === "gzip").length, 0);
	await p.press("t");
	await p.drag(0.2, 0.6);
	await p.press("3", "+");
	const narrower = (await p.chips())[1];
	await p.press(".");
	check("range-by-keys", /ms – /.test(narrower) && (await p.chips())[1] !== narrower, true);
	await p.press("0");
	await p.drag(0.1, 0.4, "ordered");
	check("range-in-time-order-by-mouse", /^\d[\d.]* ms – \d/.test((await p.chips())[1]), true);
	check("choosing-no-complaints", p.problems, []);
	await p.close();
}

async function checkZoomAndSearch(context, dir) {
	const p = await Page.open(context, join(dir, "plain.html"));
	await p.click("picture", "main");
	check("zoom", (await p.rows()).slice(1, 6), ["app", "_start", "main", "work read_file", "hash_round small_[i] do_syscall_64_[k]"]);
	check("crumbs", await p.chips(), ["34.0 ms · 4 threads", "all", "app", "_start", "main"]);
	await p.press("Escape");
	check("unzoomed", (await p.rows())[1].startsWith("app gzip"), true);
	await p.press("ArrowDown", "ArrowDown", "ArrowDown");
	check("arrows", (await p.text("#status")).startsWith("clone"), true);
	await p.press("Enter");
	check("enter-zooms", (await p.chips()).slice(1, 2), ["all"]);
	await p.press("Escape", "/");
	await p.page.keyboard.type("FIB|deflate");
	await p.rest();
	check("search-ignores-case", await p.text("#hits"), "55.9%");
	await p.press("Enter");
	check("search-next", await p.text("#hits"), "55.9% · 1/4");
	await p.page.locator("#search").blur();
	await p.press("n");
	check("n", [await p.text("#hits"), (await p.text("#status")).startsWith("fib")], ["55.9% · 2/4", true]);
	await p.press("N", "N");
	check("N", [await p.text("#hits"), (await p.text("#status")).startsWith("deflate")], ["55.9% · 4/4", true]);
	await p.page.fill("#search", "(");
	await p.rest();
	check("no-regex-is-plain-text", await p.text("#hits"), "0.0%");
	await p.page.fill("#search", "^work$");
	await p.rest();
	check("search-counts-stacks-once", await p.text("#hits"), "29.4%");
	await p.page.locator("#search").blur();
	await p.press("4");
	check("search-in-table", (await p.table()).length, 1);
	await p.press("Escape", "1");
	check("search-gone", await p.text("#hits"), "");
	await p.click("picture", "_start", { button: "right" });
	check("menu", (await p.page.locator("#menu button span:first-child").allInnerTexts()).length >= 6, true);
	await p.menu("Hide it");
	check("hide", [(await p.rows())[2].includes("_start"), (await p.rows())[2].includes("main"), (await p.chips())[1]], [false, true, "without _start ×"]);
	await p.press("[");
	check("back", (await p.chips()).length, 1);
	await p.press("]");
	check("forward", (await p.chips())[1], "without _start ×");
	await p.page.goBack();
	await p.rest();
	check("browser-back", (await p.chips()).length, 1);
	await p.click("picture", "main", { button: "right" });
	await p.menu("Focus");
	check("focus", [(await p.chips()).slice(0, 2), (await p.rows())[3]], [["14.0 ms of 34.0 ms · 4 threads", "through main ×"], "main"]);
	await p.click("picture", "work", { button: "right" });
	await p.menu("Exclude");
	check("exclude", (await p.chips())[0], "4.00 ms of 34.0 ms · 4 threads");
	const url = p.page.url(), again = await Page.open(context, join(dir, "plain.html"), "#" + url.split("#")[1]);
	check("state-in-the-address", [await again.chips(), await again.rows()], [await p.chips(), await p.rows()]);
	await again.close();
	await p.press("0", "o");
	check("my-code", [(await p.rows()).join().includes("_[k]"), (await p.rows()).join().includes("read_file"), await p.page.getAttribute("#mine", "aria-pressed")], [false, true, "true"]);
	await p.press("o", "m");
	await p.page.locator("#menu label", { hasText: "[kernel]" }).click();
	await p.rest();
	await p.press("Escape");
	check("modules", [(await p.chips())[1], (await p.rows()).join().includes("copy_to_user")], ["without module [kernel] ×", false]);
	check("weight-goes-to-the-caller", (await p.chips())[0], "34.0 ms · 4 threads");
	check("zoom-no-complaints", p.problems, []);
	await p.close();
}

async function checkTaking(context, dir) {
	const p = await Page.open(context, join(dir, "plain.html"));
	await p.click("picture", "main", { button: "right" });
	await p.menu("Copy stack");
	await p.page.focus("#search");
	await p.page.keyboard.press("Control+V");
	check("copy-stack", (await p.page.inputValue("#search")).replace(/\s+/g, ""), "app_startmain");
	await p.page.fill("#search", "");
	await p.page.locator("#search").blur();
	await p.press("Escape");
	await p.click("picture", "deflate", { button: "right" });
	await p.menu("Copy name");
	await p.page.focus("#search");
	await p.page.keyboard.press("Control+V");
	check("copy-name", await p.page.inputValue("#search"), "deflate");
	await p.page.fill("#search", "");
	await p.page.locator("#search").blur();
	await p.press("0");
	let [download] = await Promise.all([p.page.waitForEvent("download"), p.page.keyboard.press("s")]);
	check("save", readFileSync(await download.path(), "utf8"), readFileSync(join(dir, "plain.folded"), "utf8"));
	check("save-name", download.suggestedFilename(), "-app---fast.folded");
	await p.click("picture", "work");
	[download] = await Promise.all([p.page.waitForEvent("download"), p.page.keyboard.press("s")]);
	check("save-what-is-shown", readFileSync(await download.path(), "utf8"), "app;_start;main;work;hash_round 7\napp;_start;main;work;small_[i] 3\n");
	await p.press("?");
	check("keys", (await p.text("#sheet")).includes("search (regular expression)"), true);
	await p.press("Escape");
	check("keys-gone", await p.page.locator("#sheet").isVisible(), false);
	await p.press("i");
	check("about", ["./app --fast", "cpu-clock", "34", "prof@test"].filter(word => !p.problems.length && !word), []);
	const about = await p.text("#sheet");
	check("about-says", ["./app --fast", "cpu-clock, a sample every 1.00 ms", "60.0 ms", "prof@test"].filter(word => !about.includes(word)), []);
	check("taking-no-complaints", p.problems, []);
	await p.close();
}

const colour = page => page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number).reduce((a, b) => a + b, 0));

async function checkKinds(context, dir) {
	let p = await Page.open(context, join(dir, "waiting.html"));
	check("events", await p.page.locator("#events option").allInnerTexts(), ["cpu-clock", "off-cpu", "all time"]);
	check("waits-are-shown-at-once", [await p.page.inputValue("#events"), (await p.chips())[0]], ["all", "40.0 ms · 1 thread"]);
	await p.page.selectOption("#events", "1");
	await p.rest();
	check("waiting", [(await p.chips())[0], (await p.rows())[2]], ["30.0 ms · 1 thread", "read"]);
	await p.page.selectOption("#events", "all");
	await p.rest();
	check("all-time", [(await p.chips())[0], (await p.rows())[2]], ["40.0 ms · 1 thread", "read work"]);
	const box = await p.page.locator("#threads canvas").boundingBox();
	await p.page.mouse.move(box.x + box.width * 0.7, box.y + 30);
	check("waiting-is-told", (await p.text("#tip")).includes("waits 100%"), true);
	await p.drag(0.5, 0.75);
	check("a-part-of-a-wait", /^(9\.|10\.)\d+ ms/.test((await p.chips())[0]), true);
	await p.press("i");
	check("notes", ["host", "box <b>", "complete stacks", "99.8%"].filter(async word => !(await p.text("#sheet")).includes(word)).length, 4);
	check("notes-are-text", [(await p.text("#sheet")).includes("box <b>"), await p.page.locator("#sheet b").count()], [true, 0]);
	await p.close();

	p = await Page.open(context, join(dir, "lined.html"));
	check("lines-are-one-frame", (await p.rows()).slice(1), ["outer", "inner_[i]"]);
	await p.click("picture", "outer");
	await p.press("p");
	check("lines", (await p.text("#detail .code")).split(/\s*\n\s*/).filter(t => t.trim()).slice(2), ["12", "1.00 ms", "16.7%", "13", "2.00 ms", "33.3%", "14", "3.00 ms", "50.0%"]);
	await p.drag(0, 0.25);
	check("lines-follow-the-range", (await p.text("#detail .code")).includes("14"), false);
	await p.close();

	p = await Page.open(context, join(dir, "timeless.html"));
	check("timeless", [(await p.chips()).slice(-1)[0], await p.page.locator("#timeline").isVisible(), await p.page.locator("[data-view=order]").isDisabled(), (await p.rows())[3]],
		["This profile holds no times: no timeline, no time order.", false, true, "hot"]);
	check("label-without-parameters", (await p.rows())[2], "work n::(anonymous namespace)::rest");
	check("timeless-no-complaints", p.problems, []);
	await p.close();

	p = await Page.open(context, join(dir, "events.html"));
	await p.press("e");
	check("counts", [(await p.chips())[0], (await p.rows()).slice(-1)[0]], ["100 × page-faults · 1 thread", "touch_page"]);
	await p.close();

	p = await Page.open(context, join(dir, "empty.html"));
	check("empty", [await p.text("#nothing"), p.problems], ["The profile is empty: nothing ran while it was taken.", []]);
	for (const key of ["2", "3", "4", "1", "n", "s", "i", "Escape", "f", "h", "c", "+", "0", "m", "Escape", "ArrowDown", "Enter"])
		await p.page.keyboard.press(key);
	check("empty-bears-all-keys", p.problems, []);
	await p.close();

	p = await Page.open(context, join(dir, "deep.html"));
	await p.page.evaluate(() => { document.getElementById("picture").scrollTop = 1e6; });
	check("deep", (await p.rows()).slice(-1)[0], "level2999");
	await p.press("3");
	check("deep-no-complaints", p.problems, []);
	await p.close();

	p = await Page.open(context, join(dir, "crowd.html"));
	check("many-threads", [(await p.chips())[0], (await p.texts("threads")).filter(t => /^crowd/.test(t.text)).length >= 5], ["5.00 s · 1,000 threads", true]);
	check("numbers-of-processes", (await p.texts("threads")).some(t => /^41000\d\d$/.test(t.text)), true);
	await p.click("threads", "▸");
	check("opened", (await p.texts("threads")).some(t => /^1\d\d\d$/.test(t.text)), true);
	for (const key of ["2", "3", "4", "1"])
		await p.press(key);
	await p.page.screenshot({ path: join(dir, "html-crowd.png") });
	check("many-threads-no-complaints", p.problems, []);
	await p.close();
}

async function checkHostile(context, dir) {
	const p = await Page.open(context, join(dir, "hostile.html"));
	await p.press("4");
	await p.page.click("[data-sort=name]");
	await p.rest();
	const names = (await p.page.locator(".row .name").allInnerTexts()), has = name => names.some(shown => shown === name);
	check("hostile-names", ["semi;colon", "quote\"", "back\\slash", "</script>", "<b>&amp;", "'", "lone\ufffd", "имя", "漢字名", "🔥", "operator new[](unsigned long)"].filter(name => !has(name)), []);
	check("nothing-turns-text-round", names.some(name => /[\u202a-\u202e\u2066-\u2069\u0000-\u001f]/.test(name)), false);
	check("long-names-are-cut", Math.max(...names.map(name => name.length)) <= 300, true);
	check("names-are-no-elements", await p.page.evaluate(() => [document.querySelectorAll("script").length, document.querySelectorAll("#tables b,#tables script").length]), [2, 0]);
	for (const key of ["1", "2", "3", "i", "Escape", "m", "Escape"])
		await p.press(key);
	check("no-requests", p.requests, []);
	const blocked = await p.page.evaluate(async () => {
		const script = document.createElement("script");
		script.textContent = "window.hacked = true";
		document.body.append(script);
		const image = await new Promise(done => Object.assign(new Image(), { onerror: () => done("blocked"), onload: () => done("loaded"), src: "http://127.0.0.1:9/x.png" }));
		return [window.hacked, image, await fetch("http://127.0.0.1:9/").then(() => "fetched", () => "blocked")];
	});
	check("the-policy-holds", blocked, [undefined, "blocked", "blocked"]);
	check("hostile-no-complaints", p.problems.filter(text => !/Content Security Policy|net::ERR|violates/.test(text)), []);
	await p.close();
}

// In a frame that may do nothing but run scripts: no storage, no address of its own, no downloads, no clipboard.
async function checkSandbox(context, dir) {
	const host = join(dir, "sandbox.html"), inside = readFileSync(join(dir, "plain.html"), "utf8");
	writeFileSync(host, "<iframe sandbox='allow-scripts' style='width:1000px;height:700px;border:0' srcdoc=\"" + inside.replace(/&/g, "&amp;").replace(/"/g, "&quot;") + "\"></iframe>");
	const problems = [], page = await newPage(context, problems);
	await page.goto("file://" + resolve(host));
	const frame = await (await page.waitForSelector("iframe")).contentFrame();
	await frame.waitForFunction(() => document.getElementById("page") && !document.getElementById("wait"));
	const rest = () => page.waitForTimeout(400);
	await rest();
	await frame.click("[data-view=table]");
	await rest();
	check("sandbox-works", (await frame.locator(".row .name").first().innerText()), "fib");
	await frame.locator(".row", { hasText: "hash_round" }).click();
	await rest();
	await frame.click("#back");
	await rest();
	check("sandbox-back", await frame.locator(".row.on").count(), 0);
	await frame.click("#forward");
	await rest();
	check("sandbox-forward", await frame.locator(".row.on").count(), 1);
	await frame.click("#save");
	await rest();
	check("sandbox-save-shows-the-text", await frame.inputValue("#sheet textarea"), readFileSync(join(dir, "plain.folded"), "utf8"));
	check("sandbox-no-complaints", problems, []);
	await page.close();
}

async function checkLooks(context, dir) {
	const p = await Page.open(context, join(dir, "plain.html"));
	const light = await colour(p.page);
	await p.page.emulateMedia({ colorScheme: "dark" });
	await p.rest();
	check("light-and-dark", light > 600 && (await colour(p.page)) < 150, true);
	await p.page.screenshot({ path: join(dir, "html-dark.png") });
	await p.page.setViewportSize({ width: 400, height: 700 });
	for (const key of ["1", "2", "3", "4"]) {
		await p.press(key);
		const wide = await p.page.evaluate(() => document.documentElement.scrollWidth);
		check("narrow-" + key, wide, 400);
	}
	await p.page.screenshot({ path: join(dir, "html-narrow.png") });
	await p.close();
	const size = statSync(join(dir, "plain.html")).size, data = /id="data">\s*([^<]*)</.exec(readFileSync(join(dir, "plain.html"), "utf8"))[1].length;
	check("at-most-60-KiB-before-data", size - data < 60 * 1024, true);
	const bare = await launch({ javaScriptEnabled: false }), page = await bare.newPage();
	await page.goto("file://" + resolve(join(dir, "plain.html")));
	check("without-scripts-a-table", /16\.00 ms\s+47\.1%.*fib/.test(await page.innerText("body")), true);
	await bare.close();
}

// In CPU time, which other work on the machine leaves nearly alone; clock time is only told.
async function checkLarge(context, dir) {
	for (const name of ["slow", "random"]) {
		const blank = await context.newPage(), cdp = await context.newCDPSession(blank), start = Date.now();
		await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
		const cpu = async () => 1000 * (await cdp.send("Performance.getMetrics")).metrics.find(m => m.name === "TaskDuration").value;
		const before = await cpu(), p = await Page.open(context, join(dir, `${name}.html`), "", blank), opened = await cpu() - before;
		const wall = Date.now() - start, box = await p.page.locator("#threads canvas").boundingBox();
		const redraws = async act => {
			await p.page.evaluate(() => { window.redraws = []; });
			const from = await cpu();
			await act();
			await p.rest();
			const used = await cpu() - from, all = (await p.page.evaluate(() => window.redraws)).sort((a, b) => a - b);
			return { cpu: all.length ? used / all.length : 0, p95: all[Math.floor(all.length * 0.95)] || 0 };
		};
		const drag = await redraws(async () => {
			await p.page.mouse.move(box.x + 300, box.y + 30);
			await p.page.mouse.down();
			await p.page.mouse.move(box.x + 900, box.y + 30, { steps: 60 });
			await p.page.mouse.up();
		});
		const point = await redraws(async () => {
			for (let i = 0; i < 40; i++)
				await p.page.mouse.move(100 + i * 25, 300 + i % 7 * 20);
		});
		console.log(`a million samples, ${name}: open in ${wall} ms (${opened.toFixed(0)} of CPU); a redraw takes ${drag.cpu.toFixed(1)} ms of CPU ` +
			`while a range is dragged (p95 ${drag.p95.toFixed(1)} ms), ${point.cpu.toFixed(1)} while pointing (p95 ${point.p95.toFixed(1)})`);
		check(`a-million-samples-${name}`, [opened < 3000, drag.cpu < 33, point.cpu < 33, p.problems], [true, true, true, []]);
		await p.close();
	}
}

const [command, ...rest] = process.argv.slice(2);
if (command === "shot") {
	const context = await launch({ colorScheme: rest[3] || "light" }), p = await Page.open(context, rest[0], rest[2] || "");
	await p.page.screenshot({ path: rest[1] });
	console.log(p.problems.join("\n"));
	await context.close();
} else {
	const context = await launch({ acceptDownloads: true });
	for (const test of command === "large" ? [checkLarge] : [checkViews, checkChoosing, checkZoomAndSearch, checkTaking, checkKinds, checkHostile, checkSandbox, checkLooks])
		try {
			await test(context, rest[0]);
		} catch (error) {
			check(test.name, String(error.stack).split("\n").slice(0, 3).join(" "), "no error");
		}
	await context.close();
}
