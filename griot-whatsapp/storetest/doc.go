// Package storetest opens stores for tests, in a file of SQLite's and in a PostgreSQL of its own.
package storetest
