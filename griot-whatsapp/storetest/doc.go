// Package storetest opens stores for tests, in an SQLite file and in a temporary PostgreSQL server.
package storetest
