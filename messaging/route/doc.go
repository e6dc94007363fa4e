// Package route decides which senders may carry a message, and in which order. It
// is a pure function: what it needs to know is passed in.
package route
