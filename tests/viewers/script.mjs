// What the readers of perf script's text make of the profiles that tests/viewers/make wrote to DIR: node script.mjs DIR
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { checker } from "./browser.mjs";
import { Viewer } from "./speedscope.mjs";

const check = checker("script"), dir = resolve(process.argv[2]), here = dirname(fileURLToPath(import.meta.url));

// The patterns by which stackcollapse-perf.pl knows a sample's first line and a frame; a line that is neither is complained of.
function collapse(text) {
	const stacks = new Map(), bad = [];
	let comm, stack = [];
	for (const line of text.split("\n")) {
		const head = /^(\S.+?)\s+(\d+)\/*(\d+)*\s+/.exec(line), frame = /^\s*(\w+)\s*(.+) \((.*)\)/.exec(line);
		if (/^#/.test(line))
			continue;
		if (line === "") {
			if (comm !== undefined) {
				const key = [comm.replace(/ /g, "_"), ...stack].join(";");
				stacks.set(key, (stacks.get(key) || 0) + 1);
			}
			comm = undefined;
			stack = [];
		} else if (head && !line.startsWith("\t"))
			comm = head[1];
		else if (frame && comm !== undefined)
			stack.unshift(frame[2].replace(/\+0x[\da-f]+$/, "").replace(/;/g, ":") + (frame[3] === "inlined" ? "_[i]" :
				/^\[(?!unknown)/.test(frame[3]) ? "_[k]" : ""));
		else
			bad.push(line);
	}
	return { stacks: Object.fromEntries(stacks), bad };
}

function folded(text) {
	return Object.fromEntries(text.trim().split("\n").map(line => [line.replace(/ \d+$/, ""), Number(/\d+$/.exec(line)[0])]));
}
const sorted = object => Object.entries(object).sort();

const plain = collapse(readFileSync(join(dir, "plain.perf"), "utf8"));
check("stackcollapse", sorted(plain.stacks), sorted(folded(readFileSync(join(dir, "plain.folded"), "utf8"))));
check("stackcollapse-knows-each-line", plain.bad, []);
check("stackcollapse-knows-each-hostile-line", collapse(readFileSync(join(dir, "hostile.perf"), "utf8")).bad, []);

// The Firefox Profiler's own loader, in a daemon of its own directory.
const env = { ...process.env, HOME: dir, PROFILER_CLI_SESSION_DIR: join(dir, "firefox"), PROFILER_CLI_NO_SYMBOLICATE: "1" };
mkdirSync(env.PROFILER_CLI_SESSION_DIR, { recursive: true });
const firefox = (...words) => execFileSync(process.execPath, [join(here, "node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js"),
	...words], { env, encoding: "utf8", timeout: 60000 });
// The loader gives its daemon half a second to start, which is too little on a busy machine, so this asks until the daemon answers.
function loaded(file) {
	for (let tries = 0; ; tries++)
		try {
			if (tries % 5 === 0)
				firefox("load", file);
			return firefox("thread", "list", "--json");
		} catch (error) {
			if (tries === 30)
				throw error;
			Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
		}
}
try {
	const threads = loaded(join(dir, "plain.perf")), list = JSON.parse(threads.slice(threads.indexOf("{"))).threads;
	check("firefox-threads", list.map(thread => `${thread.name} ${thread.pid}/${thread.tid}`).sort(), ["app 100/100", "app 100/101", "gzip 200/200"]);
	const seen = {};
	for (const thread of list) {
		firefox("thread", "select", thread.threadHandle);
		for (const [, name, count] of firefox("thread", "functions").matchAll(/^\s*f-\d+\.\s+(.*?)\s+-\s+self:\s+(\d+)/gm))
			seen[name] = (seen[name] || 0) + Number(count);
	}
	check("firefox-self", [seen["app!hash_round"], seen["inlined!small"], seen["[kernel.kallsyms]!copy_to_user"], seen["app!fib"]], [7, 3, 4, 16]);
} catch (error) {
	check("firefox", String(error), "no error");
} finally {
	try {
		firefox("stop", "--all");
	} catch (error) {
	}
}

const viewer = await Viewer.open();
try {
	await viewer.load(join(dir, "plain.perf"), "sandwich");
	await viewer.view("3");
	check("speedscope-threads", (await viewer.profiles()).length, 4);
	const names = await viewer.text();
	await viewer.load(join(dir, "hostile.perf"), "sandwich");
	check("speedscope-no-complaints", viewer.problems, []);
	check("speedscope-reads-names", /hash_round|fib|main/.test(names), true);
} catch (error) {
	check("speedscope", String(error), "no error");
}
await viewer.close();
