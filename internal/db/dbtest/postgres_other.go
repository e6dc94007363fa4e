//go:build !unix

package dbtest

// startPostgres needs Unix sockets and process groups. On other systems, the tests run on SQLite, and on the PostgreSQL
// server that TEST_POSTGRES names, if any.
func startPostgres() (url string, stop func(), err error) {
	return "", nil, errNoPostgres
}
