// Package intake takes in the bodies of requests before it is known who sends them:
// each is bounded, in time too, and so are all of them together.
package intake
