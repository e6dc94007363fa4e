// Package audit is the log of what people, keys, and operators change in an account: an event is stored in the
// transaction of the change that it describes, and kept for 400 days. An event names what was changed and never
// holds a secret: no key, no code, no token, no content of a message, and of an address on the network its /24 or /48.
//
// Who makes a request is known where its key or session is resolved, and what is changed is known where the change is
// stored. A context brings the first to the second: see package actor.
package audit
