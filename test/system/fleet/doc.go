// Package fleet holds several nodes over one PostgreSQL to what Griot promises, under load and faults. Package chaos makes
// both and records what is seen, package history checks that. CONTRIBUTING.md says how to run it and how to read a finding.
package fleet
