// Package memtest holds what strangers can make a process remember to a bound.
package memtest
