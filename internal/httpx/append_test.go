package httpx_test

import (
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/griot/internal/httpx"
)

// asWritten returns the results of WriteJSON and WriteJSONBytes for a text.
func asWritten(t *testing.T, text string) (want, got *httptest.ResponseRecorder) {
	t.Helper()
	want, got = httptest.NewRecorder(), httptest.NewRecorder()
	if err := httpx.WriteJSON(want, 201, text); err != nil {
		t.Fatal(err)
	}
	httpx.WriteJSONBytes(got, 201, append(httpx.AppendJSON(nil, text), '\n'))
	return want, got
}

func TestAppendJSON_IsWhatWriteJSONWrites(t *testing.T) {
	for _, text := range []string{"", "a b", `"`, `\`, "<&>", "\x00\x1f\x7f", "é", "\u2028\u2029", "\xff", "\ufffd", "a\tb\n", "🙂"} {
		want, got := asWritten(t, text)
		if got.Code != want.Code || got.Body.String() != want.Body.String() {
			t.Errorf("%q: %d %s, want %d %s", text, got.Code, got.Body, want.Code, want.Body)
		}
		if diff := cmp.Diff(want.Header(), got.Header()); diff != "" {
			t.Errorf("headers (-want +got):\n%s", diff)
		}
	}
}

func FuzzAppendJSON(f *testing.F) {
	f.Add("Bamako Bank")
	f.Add("é\"\\\u2028\xff")
	f.Fuzz(func(t *testing.T, text string) {
		if want, got := asWritten(t, text); got.Body.String() != want.Body.String() {
			t.Errorf("%q: %s, want %s", text, got.Body, want.Body)
		}
	})
}
