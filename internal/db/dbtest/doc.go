// Package dbtest runs a store's tests on both databases: real SQLite files and a
// real PostgreSQL, which the test process starts from the system's binaries (or
// finds through TEST_POSTGRES, a superuser's URL). Databases are copies of one
// that was migrated, and are in memory where the machine has room, or under TMPDIR.
//
// A package that uses it has a TestMain that calls [Main].
package dbtest
