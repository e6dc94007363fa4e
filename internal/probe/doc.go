// Package probe answers those who ask whether the process lives (/livez), and whether it can serve (/readyz): supervisors, load
// balancers, and clusters' schedulers.
//
// A process is ready from when its listeners are open until it is told to stop, and while nothing is missing that its requests
// need. What is missing is said in a line each, in words without secrets. It lives until it ends, whatever is missing: nothing
// that a restart would not mend makes it dead.
package probe
