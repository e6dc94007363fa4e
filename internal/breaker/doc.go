// Package breaker implements a circuit breaker as a pure function: it computes the next state from the state, an event,
// and the time.
//
// The breaker starts closed. If too many of the latest attempts have failed, it opens for a pause without attempts.
// After the pause, one attempt is made, the probe. If the probe succeeds, the breaker closes. If it fails, the breaker
// opens again for twice as long. The results of attempts that started before it opened have no effect on it.
package breaker
