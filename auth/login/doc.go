// Package login is one login from its start to the code's redemption.
//
// [Service.Start] makes a session with words that are its receiver's alone.
// [Service.Prove] takes a proof that a phone sent them, through whichever door it
// came: a message ([Service.HandleInbound]), the sandbox, or a gateway's own call.
// [Service.HandBack] gives the browser its code, and [Service.Redeem] takes the
// code from the client, once. [Service.Cancel] takes back what a phone has proved,
// [Service.Watch] tells of steps as they are made, and [Service.Run] sweeps up.
//
// A session moves along the table in status.go only, by one conditional UPDATE a
// step, in the transaction that also writes what follows from the step. So the
// moment of a crash, a retry or a race decides nothing: the step was made, with
// everything, or it wasn't. That time has run out is read, never swept.
//
// What a person shows or sends (words, codes, cookies, numbers) is in no error
// and no log of this package. DESIGN §7 has the rules.
package login
