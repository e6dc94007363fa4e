// Package clock is where the time comes from. Everything that has a rule about
// time takes a [Now]; the wiring in cmd hands out [System], tests a [Fake].
package clock
