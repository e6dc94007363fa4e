// Package failpoint provides faults for the program that tests build (the build tag failpoints), so that
// test/system/fleet and test/system/crash can show that they detect them. No other program contains them.
package failpoint

// A Fault is a missing safeguard.
type Fault string

// The faults.
const (
	NoFence        Fault = "no-fence"         // a fenced node doesn't notice the fence
	NoVersion      Fault = "no-version"       // writes of a message's row don't compare its version
	NoTurnCheck    Fault = "no-turn-check"    // the write that marks a message as SENDING has no condition: on its version and status, its account's suspension, and opt-outs
	NoEviction     Fault = "no-eviction"      // changes of an account don't remove its messages from memory
	BelievedAtOnce Fault = "believed-at-once" // a gateway is asked about a lost call immediately, and its "never seen" is trusted
)
