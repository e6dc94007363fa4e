// Package webhook brings a service's events to the endpoints of those whom they are
// about. It knows neither what an event tells nor whom: a service names its tables
// ([Tables]), writes events there beside the changes that they tell of, in the same
// transaction, and rings the [Signal].
//
// The [Dispatcher] looks which owners have due events, and gives each a pump: the
// pump claims events of its owner only, so that no backlog stands before another's,
// and tries up to eight at once. A claim raises the event's attempt, which is the
// fence for finishing it, and has a lease that runs out; an endpoint belongs to one
// process at a time. A process may die after the endpoint has answered and before
// that is written down: the event is then delivered again under its id. Never is it lost.
//
// [Endpoints] is what is seen and changed of an owner's endpoint.
package webhook
