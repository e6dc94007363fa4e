// Package login implements a login from its start to the redemption of the code.
//
// [Service.Start] creates a session with words that no other session of its receiver
// has. [Service.Prove] takes a proof that a phone sent them: from a message
// ([Service.Inbound]), the sandbox, or a gateway's own call. [Service.HandBack] gives
// the browser its code, and [Service.Redeem] takes the code from the client, once. A
// message can also revoke the logins of its sender. [Service.Subscribe] reports changes.
// [Service.Run] reads the changes of other nodes, and [Service.RunSweeps] deletes old
// rows.
//
// The status changes only as the table in status.go defines. Each step is one
// conditional UPDATE, in the transaction that also writes the consequences of the step.
// So after a crash, a retry, or a race, a step was either completed or not made at all.
// Expiry is computed when a session is read, not written.
//
// No error and no log of this package contains the words, codes, cookies, or numbers of
// a person.
package login
