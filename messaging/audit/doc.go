// Package audit is the log of changes that people, keys, and operators make in an account. An event is stored in the
// transaction of the change that it describes, and kept for 400 days. An event names the changed item and never
// contains a secret, such as a key, a code, or a token, or the content of a message. Of a network address, it
// contains only the /24 or /48.
//
// The actor is known where the key or session of a request is resolved, and the changed item is known where the
// change is stored. A context carries the actor from the first place to the second: see package actor.
package audit
