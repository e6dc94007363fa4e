// Package intake reads the bodies of requests before it is known who sends them. Each is bounded in size and time, and
// all of them together in size.
package intake
