// Package fartest plays the far end of drivers that speak HTTP: a server on a port of its own that can lose
// connections, stop answering and come back, as the conformance suite's scripts ask for. What it answers is
// the test's own.
package fartest
