// Package webhook delivers a service's events to the endpoints of their owners: the accounts of messaging, the tenants
// of auth. It knows neither what an event says nor who its owner is. A service names its tables ([Tables]), writes events
// there in the transaction of the change that they are about, and notifies the [Signal].
//
// An event for an endpoint that works, and whose worker is idle enough, is stored as claimed ([Signal.Offer]) and goes to the
// worker with the commit. Every other event is stored as due: when the endpoint fails, is slow, or has a backlog, when its
// settings were last read more than a second ago, or when the process ends or doesn't own the endpoint.
//
// The [Dispatcher] looks for owners with due events and runs a worker for each of their endpoints, so that no backlog is
// before another owner's. A worker claims events of its owner only, and delivers up to [PerEndpoint] at once. A claim
// raises the event's attempt number, which fences the write of its outcome, and has a lease that expires. An endpoint
// belongs to one process at a time. If the process dies after the endpoint has answered and before that is written, the
// event is delivered again under the same id, so that no event is lost.
//
// [Endpoints] is what owners and operators see and change. Requests are signed as Standard Webhooks says.
package webhook
