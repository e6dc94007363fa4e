// Package webhook delivers a service's events to the endpoints of their owners: the accounts of messaging, the tenants
// of auth. It knows neither what an event says nor who its owner is. A service names its tables ([Tables]), writes events
// there in the transaction of the change that they are about, and notifies the [Signal].
//
// The [Dispatcher] looks for owners with due events and runs a worker for each of their endpoints, so that no backlog is
// before another owner's. A worker claims events of its owner only, and delivers up to [PerEndpoint] at once. A claim
// raises the event's attempt number, which fences the write of its outcome, and has a lease that expires. An endpoint
// belongs to one process at a time. If the process dies after the endpoint has answered and before that is written, the
// event is delivered again under the same id, so that no event is lost.
//
// [Endpoints] is what owners and operators see and change. Requests are signed as Standard Webhooks says.
package webhook
