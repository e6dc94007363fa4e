package dashboard_test

import (
	"net/http"
	"net/http/cookiejar"
)

func newJar() http.CookieJar {
	jar, _ := cookiejar.New(nil) // without options there is no error
	return jar
}
