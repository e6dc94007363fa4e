// Package authtest is the test world of the login service: a tenant with clients on a real database, a fake clock, nodes of
// the service, and its dashboard as a person sees it ([NewSite]).
package authtest
