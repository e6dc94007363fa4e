// Package metrics owns the metrics of the program: their names, labels, and meanings. docs/operating/metrics.md is
// generated from it.
//
// [New] creates all of them, in their own registry. A package that counts gets its group ([Gateways], [Logins], …) as
// an option. A nil group counts nothing, so a test needs none. Counters on critical paths are resolved beforehand, so
// an increment needs at most a map lookup and allocates nothing. Values from the database are measured on a scrape
// ([Sources]) and cached for a few seconds.
//
// Labels have values out of small sets that the deployment's operator or this program decides: names of gateways,
// patterns of routes, classes, states. They never contain a number, an id, an address, or an account.
package metrics

//go:generate go run ./gendocs
