// Loads profiles in the real speedscope (npm's release bundle) in headless Chromium and looks at what its views show.
//
//     node speedscope.mjs check DIR     what the profiles show that tests/viewers/make wrote to DIR; leaves pictures there
//     node speedscope.mjs large DIR     whether those of a million samples load
//     node speedscope.mjs load FILE [PNG [VIEW [SECONDS]]]   does it load?  seconds, and a picture
//
// Needs the packages of package-lock.json, and a Chromium (CHROMIUM=path, else from the PATH).
import { createServer } from "node:http";
import { createReadStream, existsSync, statSync } from "node:fs";
import { dirname, extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { checker, launch, newPage } from "./browser.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const release = join(here, "node_modules/speedscope/dist/release");
const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".wasm": "application/wasm" };
// speedscope's files under /, and the profile at hand under /profile.json.
function serve(state) {
	return new Promise(done => {
		const server = createServer((request, response) => {
			const path = decodeURIComponent(new URL(request.url, "http://x").pathname);
			const file = path === "/profile.json" ? state.file : join(release, normalize(path === "/" ? "/index.html" : path));
			if (!existsSync(file) || !statSync(file).isFile()) {
				response.writeHead(404).end();
				return;
			}
			response.writeHead(200, { "content-type": types[extname(file)] || "application/octet-stream" });
			createReadStream(file).pipe(response);
		});
		server.listen(0, "127.0.0.1", () => done(server));
	});
}

export class Viewer {
	static async open() {
		const viewer = new Viewer();
		viewer.state = { file: "" };
		viewer.server = await serve(viewer.state);
		viewer.context = await launch();
		return viewer;
	}
	// Loads FILE; resolves once its name stands in the title bar, throws with what the page says otherwise.
	async load(file, view = "time-ordered", timeout = 60000) {
		this.state.file = file;
		if (this.page)
			await this.page.close();
		this.problems = [];
		this.page = await newPage(this.context, this.problems);
		// What is drawn on canvases as text, since the last time that someone asked.
		await this.page.addInitScript(() => {
			const draw = CanvasRenderingContext2D.prototype.fillText;
			window.drawn = [];
			CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...rest) {
				window.drawn.push({ text, x: Math.round(x), y: Math.round(y) });
				return draw.call(this, text, x, y, ...rest);
			};
		});
		const base = `http://127.0.0.1:${this.server.address().port}/`;
		const start = Date.now();
		await this.page.goto(`${base}#profileURL=${encodeURIComponent(base + "profile.json")}&view=${view}`);
		const failed = new Promise((_, no) => this.page.on("crash", () => no(new Error("the tab crashed"))));
		failed.catch(() => {});
		await Promise.race([failed, this.page.waitForFunction(() => /Time Order/.test(document.body.innerText) &&
			document.querySelectorAll("canvas").length > 0 && !/Loading/.test(document.body.innerText), null, { timeout })]);
		await this.page.waitForTimeout(300);
		return (Date.now() - start) / 1000;
	}
	// The labels of frames that a redraw draws, as rows from the outermost, each from left to right.
	async rows() {
		await this.page.evaluate(() => { window.drawn = []; });
		const size = this.page.viewportSize();
		await this.page.setViewportSize({ width: size.width, height: size.height === 800 ? 810 : 800 });
		await this.page.waitForTimeout(500);
		const rows = new Map();
		for (const { text, x, y } of await this.page.evaluate(() => window.drawn))
			if (!/^[\d.,]+ ?(ns|µs|ms|s|)$/.test(text))
				rows.set(y, (rows.get(y) || new Map()).set(x, text));
		const lines = [...rows.keys()].sort((a, b) => a - b)
			.map(y => [...rows.get(y)].sort((a, b) => a[0] - b[0]).map(([, text]) => text).join(" "));
		return lines;   // most are drawn twice
	}
	cells() {
		return this.page.evaluate(() => [...document.querySelectorAll("tr")].map(row =>
			[...row.querySelectorAll("td")].map(cell => cell.innerText)));
	}
	// Sandwich's table: "TOTAL, self SELF" by name.
	async table() {
		return Object.fromEntries((await this.cells()).filter(row => row.length === 3 && /%/.test(row[0]))
			.map(([total, self, name]) => [name, `${total}, self ${self}`]));
	}
	// The profiles to choose from, in their order.
	async profiles() {
		return (await this.cells()).filter(row => row.length === 3 && /^\d+$/.test(row[0])).map(row => row[1]);
	}
	async title() {
		const [, name] = /Sandwich\s+([^]*?)\s*⤴/u.exec(await this.text()) || [];
		return (name || "").replace(/\s+/g, " ");
	}
	text() {
		return this.page.evaluate(() => document.body.innerText);
	}
	async view(key) {   // 1 Time Order, 2 Left Heavy, 3 Sandwich
		await this.page.keyboard.press(key);
		await this.page.waitForTimeout(400);
	}
	async close() {
		await this.context.close();
		this.server.close();
	}
}

async function load(file, png, view, timeout) {
	const viewer = await Viewer.open();
	try {
		const seconds = await viewer.load(file, view || "time-ordered", Number(timeout || 120) * 1000);
		console.log(`loaded in ${seconds.toFixed(1)} s: ${(await viewer.text()).replace(/\s+/g, " ").slice(0, 200)}`);
		if (png)
			await viewer.page.screenshot({ path: png });
	} catch (error) {
		console.log(`did not load: ${String(error).split("\n")[0]} ${viewer.problems.join("; ").slice(0, 300)}`);
		if (png && viewer.page)
			await viewer.page.screenshot({ path: png }).catch(() => {});
		process.exitCode = 1;
	}
	await viewer.close();
}

const check = checker("speedscope");

// Rows in their order, each once.
function distinct(rows) {
	return rows.filter((row, i) => i === 0 || row !== rows[i - 1]);
}

async function checkPlain(viewer, dir) {
	await viewer.load(join(dir, "plain.json"));
	check("all-threads-come-first", await viewer.title(), "all threads (1/5)");
	check("time-order", distinct(await viewer.rows()), ["clone _start clone [tru…ted] _start",
		"start_thread main start_thread deflate main", "fib work fib read_file", "fib hash_round small_[i] fib do_sys…4_[k]",
		"fib fib fib copy_t…r_[k]"]);
	await viewer.page.screenshot({ path: join(dir, "time-order.png") });
	await viewer.view("2");
	check("left-heavy", distinct(await viewer.rows()), ["clone _start [truncated]", "start_thread main deflate", "fib work read_file",
		"fib hash_round small_[i] do_syscall_64_[k]", "fib copy_to_user_[k]"]);
	await viewer.page.screenshot({ path: join(dir, "left-heavy.png") });
	await viewer.view("3");
	const table = await viewer.table();
	check("sandwich-counts-recursion-once", table.fib, "16.00ms (48%), self 16.00ms (48%)");
	check("sandwich-callers", table.main, "14.00ms (42%), self 0.00ns (<0.01%)");
	check("sandwich-kernel", table["copy_to_user_[k]"], "4.00ms (12%), self 4.00ms (12%)");
	check("sandwich-one-row-a-function", Object.keys(table).length, 13);
	check("then-one-profile-a-thread", await viewer.profiles(),
		["all threads", "app 100/101", "app 100/100", "gzip 200/200", "kworker 7/7"]);
	await viewer.page.screenshot({ path: join(dir, "sandwich.png") });
	await viewer.view("1");
	await viewer.view("n");
	await viewer.view("n");
	check("next-thread", await viewer.title(), "app 100/100 (3/5)");
	check("a-thread-with-a-gap", distinct(await viewer.rows())[3], "hash_round small_[i] do_syscall_64_[k]");
	check("no-complaints", viewer.problems, []);
}

async function checkHostile(viewer, dir) {
	await viewer.load(join(dir, "hostile.json"), "sandwich");
	await viewer.view("3");
	const names = Object.keys(await viewer.table());
	const has = name => names.some(shown => shown === name);
	// HTML collapses white space; the rest is shown as it is, what is no UTF-8 as U+FFFD
	check("hostile-names", ["semi;colon", "quote\"", "back\\slash", "</script>", "<b>&amp;", "'", "cut\ufffd\ufffd", "lone\ufffd",
		"surro\ufffd\ufffd\ufffdgate", "big\ufffd\ufffd\ufffd\ufffd", "имя", "漢字名", "🔥", "operator new[](unsigned long)"]
		.filter(name => !has(name)), []);
	check("a-name-of-64-KiB", names.some(name => /^h+$/.test(name) && name.length === 65536), true);
	check("hostile-comms", (await viewer.profiles()).map(name => name.replace(/\s+/g, " ")).sort(),
		["[unknown] 3/3", "a;b \"c\" \\ 1/1", "all threads", "long 4/4", "\ufffd\ufffd 2/2"].sort());
	check("hostile-no-complaints", viewer.problems, []);
}

async function checkRest(viewer, dir) {
	await viewer.load(join(dir, "empty.json"));
	check("empty", [await viewer.title(), viewer.problems], ["all threads", []]);
	await viewer.load(join(dir, "deep.json"));
	check("deep-stacks-begin", distinct(await viewer.rows()).slice(0, 3), ["level0", "level1 shallow", "level2"]);
	await viewer.view("3");
	const deep = await viewer.table();
	check("deep-stacks-end", [deep.level2999, deep.shallow], ["5.00ms (83%), self 5.00ms (83%)", "1.00ms (17%), self 1.00ms (17%)"]);
	await viewer.load(join(dir, "threads.json"));
	await viewer.view("3");
	check("many-threads", await viewer.title(), "all threads (1/258)");
	await viewer.load(join(dir, "events.json"));
	await viewer.view("3");
	check("events", [await viewer.profiles(), (await viewer.table()).work], [["all threads: cpu-clock", "app 1/1: cpu-clock",
		"all threads: page-faults", "app 1/1: page-faults"], "9.00ms (100%), self 9.00ms (100%)"]);
	await viewer.view("n");
	await viewer.view("n");
	check("counts-have-no-unit", (await viewer.table()).touch_page, "100 (100%), self 100 (100%)");
}

async function checkLarge(viewer, dir) {
	const seconds = await viewer.load(join(dir, "random.json"), "left-heavy", 280000);
	console.log(`a million samples: loaded in ${seconds.toFixed(1)} s`);
	check("a-million-samples", /^all threads/.test(await viewer.title()), true);
}

async function checkAll(dir, large) {
	const viewer = await Viewer.open();
	try {
		await (large ? checkLarge(viewer, dir) : checkPlain(viewer, dir).then(() => checkHostile(viewer, dir)).then(() => checkRest(viewer, dir)));
	} catch (error) {
		check(large ? "large" : "views", String(error), "no error");
	}
	await viewer.close();
}

const [command, ...rest] = process.argv.slice(2);
if (command === "load")
	await load(...rest);
else if (command === "check" || command === "large")
	await checkAll(rest[0], command === "large");
