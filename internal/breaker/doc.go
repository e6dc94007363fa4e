// Package breaker is a circuit breaker as a pure function: of its state, an event, and the time it makes the next state.
//
// It is closed at first. When too many of the latest attempts have failed it opens for a pause, in which nothing is
// attempted. After the pause one attempt is made, the probe. If that succeeds the breaker closes; if it fails, the
// breaker opens again for twice as long. What becomes of attempts that began before it opened has no effect on it.
package breaker
