// Package probe reports whether the process is alive (/livez) and whether it can serve requests (/readyz), for
// supervisors, load balancers, and cluster schedulers.
//
// A process is ready from the opening of its listeners until it is told to stop, and while no dependency of its
// requests is missing. /readyz shows one line for each missing dependency, without secrets. The process is alive until
// it ends, even if dependencies are missing, because a restart would not fix them.
package probe
