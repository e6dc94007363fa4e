// Package fleet tests that several nodes over one PostgreSQL keep Griot's guarantees under load and faults. Package
// chaos creates the load and the faults and records the events, and package history checks them. CONTRIBUTING.md
// explains how to run it and how to read a finding.
package fleet
