// Package messagingtest is the test world of the messaging service: an account with senders and keys on a real database,
// every service as the program creates it, and a scripted gateway ([New]). [NewSite] also serves the API and the
// dashboard, and signs in people ([Person]). Waits have a time limit, and end when an engine or the gateway signals a
// change.
package messagingtest
