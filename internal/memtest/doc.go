// Package memtest checks that the memory use of a process is bounded for input from unknown callers.
package memtest
