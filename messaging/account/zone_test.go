package account_test

import (
	"archive/zip"
	"go/build"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/griot/messaging/account"
)

// The file is the list of the Go version that builds the program. A newer Go can add zones. The failure shows the lines to add.
func TestTimeZones_AreThoseOfGo(t *testing.T) {
	t.Parallel()
	packed, err := zip.OpenReader(filepath.Join(build.Default.GOROOT, "lib", "time", "zoneinfo.zip"))
	if err != nil {
		t.Skipf("this Go has no list of zones: %v", err)
	}
	defer packed.Close()
	want := []string{"UTC"}
	for _, f := range packed.File {
		area, place, _ := strings.Cut(f.Name, "/")
		if place != "" && slices.Contains(strings.Fields("Africa America Antarctica Arctic Asia Atlantic Australia Europe Indian Pacific"), area) {
			want = append(want, f.Name)
		}
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, account.TimeZones()); diff != "" {
		t.Errorf("zones.txt (-Go's +the file):\n%s", diff)
	}
	for _, name := range account.TimeZones() {
		if !account.ValidTimeZone(name) {
			t.Errorf("%s is no time zone", name)
		}
	}
}
