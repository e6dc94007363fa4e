// Package login is one login from its start to the code's redemption.
//
// [Service.Start] makes a session with words that no other session of its receiver has.
// [Service.Prove] takes a proof that a phone sent them, by whichever
// way: a message ([Service.HandleInbound]), the sandbox, or a gateway's own call.
// [Service.HandBack] gives the browser its code, and [Service.Redeem] takes the
// code from the client, once. [Service.Cancel] revokes what a phone has proved, and
// [Service.Subscribe] reports changes. [Service.Run] reads what other nodes changed,
// and [Service.RunSweeps] deletes old rows.
//
// The status changes only as the table in status.go says, by one conditional UPDATE
// for each step, in the transaction that also writes what follows from the step. So
// after a crash, a retry, or a race a step was made completely or not at all. Expiry
// is computed when a session is read, not written.
//
// What a person shows or sends (words, codes, cookies, numbers) is in no error and
// no log of this package.
package login
