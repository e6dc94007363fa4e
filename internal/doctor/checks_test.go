package doctor_test

import (
	"context"
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/certificate/certtest"
	"example.com/griot/internal/config"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/doctor"
	"example.com/griot/internal/peercheck"
	"example.com/griot/internal/seal"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// looked runs checks, and returns their findings as "name status text".
func looked(t *testing.T, checks ...doctor.Check) map[string]doctor.Finding {
	t.Helper()
	out := map[string]doctor.Finding{}
	for _, f := range doctor.Run(t.Context(), checks, 20*time.Second).Findings {
		out[strings.TrimSpace(f.Check+" "+f.Subject)] = f
	}
	return out
}

func want(t *testing.T, found map[string]doctor.Finding, check string, status doctor.Status, text string) {
	t.Helper()
	if f := found[check]; f.Status != status || !strings.Contains(f.Text, text) {
		t.Errorf("%s: got %s %q, want %s %q", check, f.Status, f.Text, status, text)
	}
}

func database(t *testing.T, url string, ahead time.Duration, serves bool) []doctor.Check {
	t.Helper()
	d, err := db.Inspect(t.Context(), url)
	if err == nil {
		t.Cleanup(func() { _ = d.Close() })
	}
	return (&doctor.Database{
		URL: url, DB: d, Err: err, Serve: func(context.Context) bool { return serves },
		Now:          func() time.Time { return time.Now().Add(-ahead) },
		GatewayAhead: func(context.Context) (time.Duration, bool) { return ahead, ahead != 0 },
	}).Checks()
}

// A correct database is distinguished from one that is outdated, newer, absent, or has a wrong password, and a correct
// clock from a wrong one.
func TestDatabase(t *testing.T) {
	for engine, url := range map[string]string{"sqlite": "sqlite:" + filepath.Join(dbtest.Folder(t), "griot.db"), "postgres": dbtest.PostgresURL(t)} {
		t.Run(engine, func(t *testing.T) {
			d, err := db.Open(t.Context(), url)
			must(t, err)
			_, err = d.Migrate(t.Context())
			must(t, err)
			must(t, d.Close())
			found := looked(t, database(t, url, time.Millisecond, false)...)
			want(t, found, "database", doctor.OK, engine)
			want(t, found, "schema", doctor.OK, "version")
			want(t, found, "clock", doctor.OK, "within 1s")
			want(t, found, "lock", doctor.OK, "")
			want(t, looked(t, database(t, url, 10*time.Second, false)...), "clock", doctor.Warning, "behind")
			want(t, looked(t, database(t, url, -time.Minute, false)...), "clock", doctor.Failed, "ahead of")

			d, err = db.Open(t.Context(), url)
			must(t, err)
			version := func(change string) {
				must(t, d.Write(t.Context(), func(tx *db.Tx) error {
					_, err := tx.Exec(`UPDATE goose_db_version SET version_id = version_id ` + change + ` WHERE version_id >= (SELECT max(version_id) FROM goose_db_version)`)
					return err
				}))
			}
			version("+ 1000")
			want(t, looked(t, database(t, url, 0, true)...), "schema", doctor.Failed, "a newer Griot has migrated it")
			version("- 1001")
			want(t, looked(t, database(t, url, 0, false)...), "schema", doctor.Warning, "this program needs")
			want(t, looked(t, database(t, url, 0, true)...), "schema", doctor.Failed, "this program needs")
			if engine == "sqlite" {
				want(t, looked(t, database(t, url, 0, false)...), "lock", doctor.Failed, "another process has the database open")
				want(t, looked(t, database(t, url, 0, true)...), "lock", doctor.OK, "the server has")
				want(t, looked(t, database(t, url, 0, true)...), "clock", doctor.Unknown, "no gateway")
			}
			must(t, d.Close())
		})
	}
	none := looked(t, database(t, "sqlite:"+filepath.Join(t.TempDir(), "none.db"), 0, false)...)
	want(t, none, "database", doctor.Warning, "no database yet")
	if _, there := none["schema"]; there {
		t.Errorf("without a database: %v", none)
	}
	want(t, looked(t, database(t, dbtest.PostgresIn(t, "LATIN1"), 0, false)...), "database", doctor.Failed, "the encoding LATIN1, and Griot needs UTF8")
	const password = "hunter2hunter2"
	for _, f := range looked(t, database(t, "postgres://nobody:"+password+"@127.0.0.1:1/none", 0, false)...) {
		if f.Status == doctor.OK || strings.Contains(f.Text+f.Hint, password) {
			t.Errorf("a database that is not there: %+v", f)
		}
	}
}

func TestPermissions_NameWhoElseReadsAndWrites(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Chmod(dir, 0o700))
	cfg := config.Default()
	cfg.Database, cfg.MasterKeyFile = "sqlite:"+filepath.Join(dir, "griot.db"), filepath.Join(dir, "master.key")
	must(t, os.WriteFile(cfg.MasterKeyFile, []byte("k"), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "griot.db"), nil, 0o600))
	check := func(path string, mode os.FileMode, name string, status doctor.Status, text string) {
		t.Helper()
		before, err := os.Stat(path)
		must(t, err)
		must(t, os.Chmod(path, mode))
		want(t, looked(t, doctor.Permissions(cfg, nil, false)), name, status, text)
		must(t, os.Chmod(path, before.Mode()))
	}
	want(t, looked(t, doctor.Permissions(cfg, nil, false)), "permissions", doctor.OK, "2")
	check(cfg.MasterKeyFile, 0o644, "permissions "+cfg.MasterKeyFile, doctor.Warning, "everyone on this machine can read the master key")
	must(t, os.Chmod(cfg.MasterKeyFile, 0o644))
	if f := looked(t, doctor.Permissions(cfg, nil, false))["permissions "+cfg.MasterKeyFile]; f.Hint != "chmod 600 "+cfg.MasterKeyFile { // griot serve refuses 640
		t.Errorf("the hint for a master key that others can read: %q", f.Hint)
	}
	must(t, os.Chmod(cfg.MasterKeyFile, 0o600))
	check(cfg.MasterKeyFile, 0o620, "permissions "+cfg.MasterKeyFile, doctor.Failed, "other users can write to the master key")
	check(filepath.Join(dir, "griot.db"), 0o604, "permissions "+filepath.Join(dir, "griot.db"), doctor.Warning, "can read the database")
	check(dir, 0o770, "permissions "+dir, doctor.Failed, "other users can write to the database's directory")
	must(t, os.Remove(cfg.MasterKeyFile))
	want(t, looked(t, doctor.Permissions(cfg, nil, false)), "permissions "+cfg.MasterKeyFile, doctor.Failed, "can't be read")
}

// The certificates of the file and of the public address are checked separately, because a proxy can have another one.
func TestNetwork(t *testing.T) {
	key, err := seal.ParseKey(seal.NewMasterKey())
	must(t, err)
	network := func(ends time.Time, serves bool, key *seal.Key, stopped bool) map[string]doctor.Finding {
		t.Helper()
		files := certtest.Write(t, t.TempDir(), ends)
		pair, err := tls.LoadX509KeyPair(files.Cert, files.Key)
		must(t, err)
		server := &peercheck.Server{Service: "auth", Key: key, Now: time.Now}
		s := httptest.NewUnstartedServer(server.Handler(http.NotFoundHandler()))
		s.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
		s.StartTLS()
		if t.Cleanup(s.Close); stopped {
			s.Close()
		}
		cfg := config.Default()
		cfg.Roles, cfg.Auth.URL, cfg.TLS.Cert, cfg.TLS.Key = []string{"auth"}, s.URL, files.Cert, files.Key
		return looked(t, (&doctor.Network{Config: cfg, Key: key, Now: time.Now, Serve: func(context.Context) bool { return serves }}).Checks()...)
	}
	good := network(time.Now().AddDate(0, 3, 0), true, key, false)
	want(t, good, "certificate tls.cert", doctor.OK, "valid until")
	want(t, good, "tls auth.url", doctor.Warning, "doesn't trust")
	want(t, good, "proxies auth.url", doctor.OK, "without a proxy")
	soon := network(time.Now().AddDate(0, 0, 7), true, key, false)
	want(t, soon, "certificate tls.cert", doctor.Warning, "14 days")
	want(t, soon, "tls auth.url", doctor.Warning, "14 days")
	expired := network(time.Now().AddDate(0, 0, -1), true, key, false)
	want(t, expired, "certificate tls.cert", doctor.Failed, "expired")
	want(t, expired, "tls auth.url", doctor.Failed, "expired")
	stopped := network(time.Now().AddDate(0, 3, 0), false, key, true)
	want(t, stopped, "tls auth.url", doctor.Unknown, "no server runs on this machine")
	want(t, network(time.Now().AddDate(0, 3, 0), true, key, true), "proxies auth.url", doctor.Failed, "refused")
}
