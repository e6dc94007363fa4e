// Package dbtest runs a store's tests on both databases: real SQLite files and a real
// PostgreSQL, which the test process starts from the system's binaries (or finds
// through TEST_POSTGRES, a superuser's URL). Databases are copies of a migrated one.
// They are in memory if the machine has room, otherwise under TMPDIR.
//
// A package that uses it must have a TestMain that calls [Main].
package dbtest
