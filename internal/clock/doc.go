// Package clock provides the time. Code that depends on the time takes a [Now]. The
// wiring in cmd passes [System], and tests pass a [Fake].
package clock
