// work SECONDS: calls, maps, sorting, goroutines and channels, the collector.
package main

import (
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
	"time"
)

type node struct{ l, r *node }

func make2(d int) *node {
	if d == 0 {
		return nil
	}
	return &node{make2(d - 1), make2(d - 1)}
}
func (n *node) count() int {
	if n == nil {
		return 0
	}
	return 1 + n.l.count() + n.r.count()
}
func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}
func main() {
	s, _ := strconv.ParseFloat(os.Args[1], 64)
	end := time.Now().Add(time.Duration(s * float64(time.Second)))
	r := 0
	for time.Now().Before(end) {
		c := make(chan int)
		for i := 0; i < 4; i++ {
			go func(i int) { c <- fib(18) + make2(12).count() }(i)
		}
		for i := 0; i < 4; i++ {
			r += <-c
		}
		m := map[string]int{}
		var l []string
		for i := 0; i < 3000; i++ {
			l = append(l, fmt.Sprintf("key%d", i*7919%3001))
		}
		sort.Slice(l, func(i, j int) bool { return l[i] < l[j] })
		for _, k := range l {
			m[strings.ToUpper(k[:4])]++
		}
		r += len(m)
	}
	fmt.Fprintln(os.Stderr, r)
}
