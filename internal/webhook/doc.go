// Package webhook delivers a service's events to the endpoints of their owners: the accounts of messaging, the tenants
// of auth. It doesn't depend on the content of an event or the kind of its owner. A service names its tables
// ([Tables]), writes each event there in the transaction of its change, and notifies the [Signal].
//
// An event for an endpoint that works, and whose worker is idle enough, is stored as claimed ([Signal.Offer]) and goes
// to the worker with the commit. Every other event is stored as due. This is the case if the endpoint fails, is slow,
// or has a backlog, if its settings were last read more than a second ago, or if the process ends or doesn't own the
// endpoint.
//
// The [Dispatcher] searches for owners with due events and runs a worker for each of their endpoints, so that one
// owner's backlog doesn't delay another's. A worker claims events of its owner only, and delivers up to [PerEndpoint]
// at once. A claim raises the event's attempt number, which fences the write of its outcome, and has a lease that
// expires. An endpoint belongs to one process at a time. If the process dies after the endpoint's response and before
// the outcome is written, the event is delivered again with the same id. So no event is lost.
//
// Owners and operators read and change [Endpoints]. Requests are signed according to Standard Webhooks.
package webhook
