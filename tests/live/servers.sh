#!/bin/sh
# Servers under load from the first second of their lives, when most of their code is new: how many stacks reach their root, and that frame
# pointers alone never reach more.  "Reach": the outermost frame is one that begins a thread, for libc's own frames have no pointers.
. "$(dirname "$0")/../lib.sh"
requests=$(program requests) || exit 1

# serve OUT HOW COMMAND...: captures a server that writes its port into "port".
serve() {
	out=$1 how=$2
	shift 2
	rm -f port
	start "$PROF" -q --call-graph "$how" -F 499 --stats "$out.json" -o "$out.folded" -- "$@"
	wait_for 60 test -s port || { not_ok "$out" "the server did not start"; return 1; }
	"$requests" "$(cat port)" '/list?q=' '/one?q=' '/sum?q=' '/page?q='
	wait "$pid"
}
# reached FILE: in thousandths
reached() {
	awk '{ n = $NF; all += n; if ($0 !~ /\[truncated\]/ || $0 ~ /\[truncated\];(main|_start|start_thread|__libc_start_call_main|runtime\.[a-z0-9]+)[; ]/) ok += n }
		END { printf "%d", all ? 1000 * ok / all : 0 }' "$1"
}
compare() { # NAME COMMAND...
	server=$1
	shift
	serve "$server" auto "$@" && serve "$server-fp" fp "$@" || return
	a=$(reached "$server.folded") f=$(reached "$server-fp.folded")
	echo "$server: $a of 1000 stacks reach their root, $f by frame pointers"
	all=$(field "$server.json" stacks)
	check "$server-code" "$(($(field "$server.json" stacks_no_unwind_info) * 1000))" -le $((all * 20))   # code that prof did not follow
	check "$server" "$a" -ge 940                                                                 # and arrays on the stack that nobody has touched
	check "$server-frame-pointers" "$((a + 5))" -ge "$f"
}
missing() { # COMMAND PACKAGE
	command -v "$1" >/dev/null 2>&1 && return 1
	if [ "${CI:-}" = true ]; then not_ok "$1" "no $1"; else skip "$1" "no $1: apt-get install $2"; fi
}

if ! missing node nodejs; then
	cat >server.js <<'END'
const http = require('http'), fs = require('fs');
const items = Array.from({ length: 200 }, (_, i) => ({ id: i, name: 'item ' + i, tags: ['a', 'b', 'c' + i % 7] }));
function list(q) { return items.filter(x => x.id % 3 === q % 3).map(x => ({ ...x, title: x.name.toUpperCase() })); }
function one(id) { const it = items[id % 200]; return { ...it, related: items.filter(o => o.tags[2] === it.tags[2]).slice(0, 5) }; }
function sum(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i) % 65521; return { sum: s }; }
function page(o) { return '<ul>' + Object.entries(o).map(([k, v]) => `<li>${k}: ${String(v).replace(/&/g, '&amp;')}</li>`).join('') + '</ul>'; }
const routes = { '/list': q => JSON.stringify(list(q)), '/one': q => JSON.stringify(one(q)), '/sum': () => JSON.stringify(sum(2000)), '/page': q => page(one(q)) };
const server = http.createServer((req, res) => {
	const u = new URL(req.url, 'http://x'), b = routes[u.pathname](+u.searchParams.get('q'));
	res.writeHead(200, { 'content-length': Buffer.byteLength(b) });
	res.end(b);
});
server.listen(0, '127.0.0.1', () => fs.writeFileSync('port', '' + server.address().port));
setTimeout(() => process.exit(0), 3000);
END
	compare node node server.js
fi
if ! missing javac default-jdk-headless; then
	cat >Server.java <<'END'
import com.sun.net.httpserver.*;
import java.net.*;
import java.nio.file.*;
import java.util.stream.*;

public class Server {
	static String list(int q) { return IntStream.range(0, 400).filter(i -> i % 3 == q % 3).mapToObj(i -> "item " + i).map(String::toUpperCase).collect(Collectors.joining(",")); }
	static String sum(int n) { long s = 0; for (int i = 0; i < n; i++) s = (s * 31 + i) % 65521; return Long.toString(s); }
	public static void main(String[] a) throws Exception {
		HttpServer s = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
		s.createContext("/", x -> {
			String u = x.getRequestURI().toString();
			byte[] b = (u.startsWith("/sum") ? sum(2000) : list(Integer.parseInt(u.replaceAll(".*=", "")))).getBytes();
			x.sendResponseHeaders(200, b.length);
			x.getResponseBody().write(b);
			x.close();
		});
		s.start();
		Files.writeString(Path.of("port"), "" + s.getAddress().getPort());
		Thread.sleep(3000);
		System.exit(0);
	}
}
END
	javac Server.java
	compare java java -XX:+PreserveFramePointer -cp . Server
fi
if ! missing go golang-go; then
	cat >server.go <<'END'
package main

import ("fmt"; "net"; "os"; "sort"; "strings"; "time")

func list(n int) string {
	var s []string
	for i := 0; i < 100; i++ { s = append(s, fmt.Sprintf("item %d", i*7919%1009)) }
	sort.Strings(s)
	return strings.ToUpper(strings.Join(s, ","))
}
func serve(c net.Conn) {
	b := make([]byte, 4096)
	for {
		n, err := c.Read(b)
		if err != nil { return }
		a := list(n)
		fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(a), a)
	}
}
func main() {
	l, _ := net.Listen("tcp", "127.0.0.1:0")
	os.WriteFile("port", []byte(fmt.Sprint(l.Addr().(*net.TCPAddr).Port)), 0644)
	go func() { time.Sleep(3 * time.Second); os.Exit(0) }()
	for {
		c, err := l.Accept()
		if err == nil { go serve(c) }
	}
}
END
	GOCACHE=$T/gocache GO111MODULE=off go build -o server server.go && compare go ./server
fi
exit $failed
