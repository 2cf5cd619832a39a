// Keeps one CPU busy for a while and leaves Go's own profiles in a directory: cpu.pb.gz and heap.pb.gz.
package main

import (
	"os"
	"runtime/pprof"
	"sort"
	"strings"
	"time"
)

func work(until time.Time) (n int) {
	for time.Now().Before(until) {
		s := make([]string, 0, 1000)
		for i := 0; i < 1000; i++ {
			s = append(s, strings.Repeat("x", (i*7919)%31))
		}
		sort.Strings(s)
		n += len(s)
	}
	return
}

func main() {
	cpu, err := os.Create(os.Args[1] + "/cpu.pb.gz")
	if err != nil || pprof.StartCPUProfile(cpu) != nil {
		os.Exit(1)
	}
	work(time.Now().Add(time.Second))
	pprof.StopCPUProfile()
	heap, err := os.Create(os.Args[1] + "/heap.pb.gz")
	if err != nil || cpu.Close() != nil || pprof.WriteHeapProfile(heap) != nil || heap.Close() != nil {
		os.Exit(1)
	}
}
