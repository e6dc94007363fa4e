// Package events tells accounts what happened. An event is written beside the
// change that it tells of, in the same transaction, with the body that will be
// delivered; a change that is rolled back has no event.
//
// How events come to the accounts' endpoints is the work of internal/webhook,
// which documents claims, fences and leases.
//
// [Endpoints] is what accounts and operators see and change of all this, and a
// [Feed] is what `griot listen` hears.
package events
