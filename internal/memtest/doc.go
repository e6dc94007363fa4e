// Package memtest checks that what unknown callers can make a process remember is bounded.
package memtest
