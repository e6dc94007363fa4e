package webtest

import (
	"net/http"
	"testing"
	"time"

	"example.com/griot/web"
)

// ComponentPage returns a handler of the page with all components, with its parts changed.
func ComponentPage(t *testing.T, change func(*web.Shell, *web.Examples)) http.HandlerFunc {
	t.Helper()
	pages := NewPages(t)
	return func(w http.ResponseWriter, r *http.Request) {
		shell, examples := web.ComponentExamples(time.Now())
		if change != nil {
			change(shell, &examples)
		}
		if err := pages.ServeApp(w, r, http.StatusOK, web.PageComponents, shell, examples); err != nil {
			t.Error(err)
		}
	}
}
