// work SECONDS: calls, maps, sorting, iterators, threads, panics that are caught.
use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

fn fib(n: u64) -> u64 { if n < 2 { n } else { fib(n - 1) + fib(n - 2) } }
struct Node { l: Option<Box<Node>>, r: Option<Box<Node>> }
fn make(d: u32) -> Option<Box<Node>> { if d == 0 { None } else { Some(Box::new(Node { l: make(d - 1), r: make(d - 1) })) } }
fn count(n: &Option<Box<Node>>) -> u64 { n.as_ref().map_or(0, |n| 1 + count(&n.l) + count(&n.r)) }
fn round(seed: u64) -> u64 {
	let mut words: Vec<String> = (0..2000u64).map(|i| format!("key{}", (i * 7919 + seed) % 2003)).collect();
	words.sort_by(|a, b| b.cmp(a));
	let mut by_name = BTreeMap::new();
	let mut by_hash = HashMap::new();
	for w in &words { *by_name.entry(w.clone()).or_insert(0) += 1; *by_hash.entry(&w[..4]).or_insert(0u64) += 1; }
	fib(18) + count(&make(12)) + by_name.len() as u64 + by_hash.values().sum::<u64>()
}
fn main() {
	let seconds: f64 = std::env::args().nth(1).map_or(1.0, |s| s.parse().unwrap());
	let end = Instant::now() + Duration::from_secs_f64(seconds);
	let threads: Vec<_> = (0..2).map(|i| std::thread::spawn(move || { let mut r = 0; while Instant::now() < end { r += round(i); } r })).collect();
	let mut r = 0;
	while Instant::now() < end { r += round(7); }
	eprintln!("{}", r + threads.into_iter().map(|t| t.join().unwrap()).sum::<u64>());
}
