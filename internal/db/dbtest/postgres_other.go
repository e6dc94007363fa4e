//go:build !unix

package dbtest

// startPostgres needs Unix sockets and process groups. Elsewhere the tests run on SQLite, and on a PostgreSQL of your own
// when TEST_POSTGRES names one.
func startPostgres() (url string, stop func(), err error) {
	return "", nil, errNoPostgres
}
