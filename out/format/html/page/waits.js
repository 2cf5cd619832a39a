// Waiting: which time is spent on a CPU and which is not, and waits by the call that blocked.

const waitEvents = () => about.events.some(e => e.waiting);
const onCpu = event => !isWaiting(event) && (waitEvents() || /^(cpu|task)-clock/.test((about.events[event] || { name: "" }).name));

// Weight V, of which WAIT is waiting, in words that say which time it is.
function timeInWords(v, wait) {
	if (!isTime())
		return amount(v);
	if (S.event !== "all")
		return amount(v) + (isWaiting(S.event) ? " waiting" : onCpu(S.event) ? " on CPU" : "");
	return !waitEvents() ? amount(v) : wait > 0 && wait < v ? amount(v) + " (" + amount(v - wait) + " on CPU, " + amount(wait) + " waiting)" : amount(v) + (wait > 0 ? " waiting" : " on CPU");
}

// Other names of calls, as libraries and kernels have them.
const sameCalls = [["futex", /^(futex_.*|do_futex.*|pthread_(cond|mutex|rwlock|barrier|join|timedjoin|clockjoin).*|lll_lock.*|(new_)?sem_(timed|clock)?wait.*)$/],
	["epoll_wait", /^epoll_pwait2?$/], ["poll", /^(ppoll.*|poll_chk)$/], ["select", /^pselect6?$/], ["nanosleep", /^(clock_nanosleep|usleep|sleep|thrd_sleep|hrtimer_nanosleep)$/],
	["wait4", /^(wait|wait3|waitpid)$/], ["accept", /^accept4$/]];
const knownCall = /^(futex|epoll_wait|poll|select|nanosleep|wait4|waitid|accept|connect|f(data)?sync|msync|sync|sync_file_range|p?readv?\d*|p?writev?\d*|recv(from|msg|mmsg)?|send(to|msg|mmsg|file)?|splice|flock|fcntl|ioctl|sigsuspend|sigtimedwait|pause|io_uring_enter|io_getevents|msgrcv|msgsnd|semop|semtimedop|mq_\w+|openat?|close|fallocate)$/;
function plainCall(name) {
	const bare = name.replace(/_\[[ik]\](:\d+)?$/, "").replace(/@.*$/, "").replace(/^_*(GI_|libc_|syscall_)*_*/, "").replace(/_(no)?cancel$|_time(32|64)$|(?<=[a-z])64$/g, "");
	const same = sameCalls.find(([, names]) => names.test(bare));
	return same ? same[0] : bare;
}

// The call that blocks in stack T: the system call, else a known call of a library, else what is innermost.
function blockingCall(t) {
	let call = "", known = "", inner = nameOf(T.fn[t]), user = 0;
	if (F.kind[T.fn[t]] === MARK)
		return inner;
	for (; t >= 0 && user < 12; t = T.parent[t]) {
		const f = T.fn[t], system = /^_*(?:(?:x64|ia32|arm64|riscv|se|do|compat|arm)_)*sys_(\w+?)(?:_\[k\])?$/.exec(F.name[f]);
		if (F.kind[f] === KERNEL) {
			if (system)
				call = plainCall(system[1]);
			continue;
		}
		if (call || known || F.kind[f] === PROCESS)
			break;
		user++;
		const name = plainCall(F.name[f]);
		if (knownCall.test(name))
			known = name;
	}
	return call || known || inner;
}

// Waits of what is chosen, by call: how many, how long, the shortest and the longest.
function waitsByCall() {
	const calls = new Map(), byNode = new Map(), [lo, hi] = S.range || [-Infinity, Infinity];
	for (const row of rows)
		for (const part of S.rows && !S.rows.has(row.id) ? [] : row.parts) {
			const t = threads[part], scale = periodOf(t.event) || 1;
			for (let i = isWaiting(t.event) ? S.range ? firstRun(t, lo) : t.lo : t.hi; i < t.hi && R.from[i] <= hi; i++) {
				const node = R.node[i], n = R.count[i] || 1, each = R.weight[i] * scale / n;
				if (passing && !passing[node])
					continue;
				if (!byNode.has(node))
					byNode.set(node, blockingCall(node));
				const name = byNode.get(node), call = calls.get(name) || { name, n: 0, w: 0, least: Infinity, most: 0, joined: false };
				calls.set(name, call);
				call.n += n;
				call.w += each * n;
				call.least = Math.min(call.least, each);
				call.most = Math.max(call.most, each);
				call.joined = call.joined || n > 1;
			}
		}
	return [...calls.values()].sort((a, b) => b.w - a.w);
}

function showWaits() {
	const calls = waitsByCall(), all = calls.reduce((sum, call) => sum + call.w, 0), head = text => el("b", { className: "soft", textContent: text });
	if (!waitEvents())
		return toast("This profile holds no waits. Use prof --off-cpu to record them.");
	const grid = el("div", { className: "waits" }, ...["call", "waits", "time", "", "shortest", "longest"].map(head));
	for (const call of calls) {
		const about = call.joined ? "≈ " : "";
		grid.append(el("code", { textContent: cut(call.name, 100) }), el("span", { textContent: count(call.n) }), el("span", { textContent: time(call.w) }), share(call.w, all),
			el("span", { textContent: about + time(call.least) }), el("span", { textContent: about + time(call.most) }));
	}
	sheet("Waits by blocking call", grid, el("p", { className: "soft", textContent: (S.range || S.rows ? "The waits in the chosen time and threads. " : "") +
		(calls.some(call => call.joined) ? "≈: prof added up equal waits that followed each other; this is their mean." : "") }));
}
