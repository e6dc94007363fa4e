// Package planted has faults that are planted into the program which tests build (the build tag failpoints), so that
// test/system/fleet shows that it finds them. No other program has them.
package planted

// A Fault is the absence of a safeguard.
type Fault string

// The faults.
const (
	NoFence        Fault = "no-fence"         // a node that was fenced does not notice
	NoVersion      Fault = "no-version"       // writes of a message's row do not compare its version
	BelievedAtOnce Fault = "believed-at-once" // a gateway is asked about a lost call at once, and its "never seen" believed
)
