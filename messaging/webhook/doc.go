// Package webhook tells accounts what happened. An event is written beside the
// change that it tells of, in the same transaction, with the body that will be
// delivered; a change that is rolled back has no event.
//
// The [Deliverer] brings events to the accounts' endpoints. It looks which
// accounts have due events, and gives each a pump: the pump claims events of its
// account only, so that no backlog stands before another's, and tries up to eight
// at once. A claim raises the event's attempt, which is the fence for finishing
// it, and has a lease that runs out; an endpoint belongs to one process at a time.
// A process may die after the endpoint has answered and before that is written
// down: the event is then delivered again under its id. Never is it lost.
//
// [Endpoints] is what accounts and operators see and change of all this, and a
// [Feed] is what `griot listen` hears.
package webhook
