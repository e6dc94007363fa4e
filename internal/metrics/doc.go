// Package metrics owns the metrics of the program: their names, labels, and meaning. docs/operating/metrics.md is made from it.
//
// [New] makes all of them, in a registry of their own. A package that counts is given
// its group ([Gateways], [Logins], …) as an option; a nil group counts nothing, so that a test needs none. What is counted while people wait is resolved before: an
// increment looks up a map at most, and allocates nothing. What the database knows is measured when somebody asks ([Sources]),
// and kept for a few seconds.
//
// Labels have values out of small sets that the deployment's operator or this program decides: names of gateways, patterns of
// routes, classes, states. They never have a number, an id, an address, or an account.
package metrics

//go:generate go run ./gendocs
