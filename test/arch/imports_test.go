package arch_test

import (
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "example.com/griot"

// A layer is the position of a package. A package imports packages of its own layer and of lower ones, never of a
// higher one.
type layer int

const (
	foundation layer = iota // for everything: plumbing, pages, documents
	gateways                // delivery of messages
	records                 // the data of a service
	storage                 // messages as they are stored, and data of the same transactions
	operations              // the operations of a service
	callers                 // the callers of a service
	api                     // the interface of a service
	service                 // a service, wired: the package at the root of its tree
	command                 // the wiring
)

// layers assigns a layer to every package; the longest prefix applies. A package without a layer fails the test, so
// that a new one gets its layer by a decision and not by its first import.
var layers = map[string]layer{
	"cmd":   command,
	"bench": command, // a program that measures the others

	"docs/examples": command, // programs to read and to copy

	"auth":      service,
	"messaging": service,

	"auth/api":            api,
	"auth/dashboard":      api,
	"auth/verbs":          api,
	"messaging/api":       api,
	"messaging/dashboard": api,
	"messaging/verbs":     api,
	"operator":            api, // the pages of the operator of both services

	"messaging/access": callers,

	"auth/login":            operations,
	"auth/token":            operations,
	"auth/webhooks":         operations,
	"auth/logout":           operations,
	"messaging/delivery":    operations,
	"messaging/mail":        operations,
	"messaging/otp":         operations,
	"messaging/connections": operations,
	"messaging/alerts":      operations,
	"messaging/pairing":     operations,
	"messaging/mcp":         operations,
	"messaging/stats":       operations,
	"messaging/billing":     operations,
	"messaging/erasure":     operations,
	"messaging/closing":     operations,
	"messaging/sender":      operations,

	"messaging/outbox":   storage,
	"messaging/inbox":    storage,
	"messaging/webhooks": storage,

	"auth/tenant":       records,
	"auth/oauth":        records,
	"messaging/message": records,
	"messaging/person":  records,
	"messaging/account": records,
	"messaging/audit":   records,
	"messaging/quota":   records,
	"messaging/counts":  records,
	"messaging/optout":  records,
	"messaging/media":   records,
	"messaging/route":   records,

	"gateway": gateways,

	"internal": foundation,
	"web":      foundation,
	"openapi":  foundation,
	"docs":     foundation,
	"client":   foundation,
}

// A ban is an import that is forbidden although the layers would allow it.
type ban struct {
	from, to             string // directories, including everything below them; * is all others
	exceptFrom, exceptTo []string
	always               bool // also in tests and test helpers
	why                  string
}

// rowsBelong is why what people and programs see has no database.
const rowsBelong = "an operation, with its transaction, belongs to its resource: endpoints, pages, and verbs only translate"

var bans = []ban{
	{from: "auth", to: "messaging", always: true, why: "the services are sold, run, and understood apart: what they share is the gateways and the foundation"},
	{from: "messaging", to: "auth", always: true, why: "the services are sold, run, and understood apart: what they share is the gateways and the foundation"},
	{from: "auth", to: "operator", why: "a service does not know the pages of who runs both"},
	{from: "messaging", to: "operator", why: "a service does not know the pages of who runs both"},
	{from: "auth/api", to: "internal/db", why: rowsBelong},
	{from: "auth/dashboard", to: "internal/db", why: rowsBelong},
	{from: "auth/verbs", to: "internal/db", why: rowsBelong},
	{from: "messaging/api", to: "internal/db", why: rowsBelong},
	{from: "messaging/dashboard", to: "internal/db", why: rowsBelong},
	{from: "messaging/verbs", to: "internal/db", why: rowsBelong},
	{from: "messaging/dashboard", to: "messaging/api", why: "pages call the operations of the resources: a page depends on no JSON endpoint"},
	{from: "operator", to: "internal/db", why: rowsBelong},
	{from: "gateway", to: "auth", always: true, why: "gateways deliver messages and know no logins"},
	{from: "gateway", to: "messaging", always: true, why: "gateways deliver messages and know no accounts"},
	{from: "internal", to: "auth", always: true, why: "both services stand on internal, so it knows neither"},
	{from: "internal", to: "messaging", always: true, why: "both services stand on internal, so it knows neither"},
	{from: "internal", to: "web", why: "plumbing has no pages"},
	{from: "internal", to: "openapi", why: "plumbing doesn't know the documents of the services"},
	{from: "internal", to: "client", why: "plumbing doesn't call the service that it is part of"},
	{from: "web", to: "*", exceptTo: []string{"internal/i18n", "internal/apierror", "internal/actor"}, why: "pages are given what they show, and look up only the language of the request, the sentences around it, and the catalog of errors"},
	{from: "openapi", to: "*", why: "a document is data"},
	{from: "docs", to: "*", exceptFrom: []string{"docs/examples"}, why: "documentation is data"},
}

// importProblem returns the problem with from importing to (directories within the module), or "". Tests,
// and helper packages that only tests import, can import everything that isn't banned for them, too.
func importProblem(from, to string, fromTest bool) string {
	if within(to, from) && isHelper(to) == isHelper(from) {
		return "" // a package's own parts
	}
	exempt := fromTest || isHelper(from)
	if isHelper(to) && !exempt {
		return "only tests and test helpers import a test helper: it would end up in the program"
	}
	for _, b := range bans {
		if (b.always || !exempt) && b.forbids(from, to) {
			return b.why
		}
	}
	if exempt {
		return ""
	}
	high, ok := layerOf(from)
	if !ok {
		return from + " has no layer: give it its place in test/arch/imports_test.go"
	}
	low, ok := layerOf(to)
	if !ok {
		return to + " has no layer: give it its place in test/arch/imports_test.go"
	}
	if low > high {
		return "imports go downhill: cmd, service, api, callers, operations, storage, records, gateway, internal"
	}
	return ""
}

func (b ban) forbids(from, to string) bool {
	banned := within(to, b.to) || b.to == "*" && !within(to, b.from)
	return banned && within(from, b.from) && !withinAny(from, b.exceptFrom) && !withinAny(to, b.exceptTo)
}

// layerOf returns the layer of the longest prefix of dir that has one. A service is not a prefix of other directories.
func layerOf(dir string) (layer, bool) {
	for p := dir; ; p = path.Dir(p) {
		if l, ok := layers[p]; ok && (p == dir || l != service) {
			return l, true
		}
		if p == "." {
			return 0, false
		}
	}
}

// within reports whether dir is root or below it.
func within(dir, root string) bool { return dir == root || strings.HasPrefix(dir, root+"/") }

func withinAny(dir string, roots []string) bool {
	return slices.ContainsFunc(roots, func(root string) bool { return within(dir, root) })
}

// isHelper reports whether dir belongs to a test helper package, whose name ends in "test".
func isHelper(dir string) bool {
	return slices.ContainsFunc(strings.Split(dir, "/"), func(name string) bool { return strings.HasSuffix(name, "test") })
}

func TestImportProblem(t *testing.T) {
	for _, tt := range []struct {
		from, to string
		fromTest bool
		allowed  bool
	}{
		// Downhill.
		{from: "cmd/griot", to: "messaging/api", allowed: true},
		{from: "cmd/griot", to: "auth/token", allowed: true},
		{from: "cmd/griot", to: "messaging", allowed: true},
		{from: "messaging", to: "messaging/api", allowed: true},
		{from: "auth", to: "internal/config", allowed: true},
		{from: "cmd/griot", to: "internal/config", allowed: true},
		{from: "cmd/griot", to: "client", allowed: true},
		{from: "auth/api", to: "auth/login", allowed: true},
		{from: "auth/api", to: "auth/tenant", allowed: true},
		{from: "auth/api", to: "web", allowed: true},
		{from: "auth/api", to: "openapi", allowed: true},
		{from: "messaging/mcp", to: "messaging/inbox", allowed: true},
		{from: "messaging/otp", to: "messaging/delivery", allowed: true},
		{from: "messaging/delivery", to: "messaging/outbox", allowed: true},
		{from: "messaging/delivery", to: "messaging/message", allowed: true},
		{from: "messaging/outbox", to: "messaging/inbox", allowed: true},
		{from: "messaging/outbox", to: "messaging/webhooks", allowed: true},
		{from: "messaging/outbox", to: "messaging/quota", allowed: true},
		{from: "messaging/route", to: "messaging/account", allowed: true},
		{from: "messaging/account", to: "gateway", allowed: true},
		{from: "gateway/virtual", to: "gateway", allowed: true},
		{from: "gateway/virtual", to: "internal/phone", allowed: true},
		{from: "internal/httpx", to: "internal/apierror", allowed: true},
		{from: "internal/apierror/gendocs", to: "internal/apierror", allowed: true},
		{from: "web", to: "web/page", allowed: true},
		{from: "web/page", to: "internal/i18n", allowed: true},

		// Uphill.
		{from: "auth/tenant", to: "auth/login"},
		{from: "auth/login", to: "auth/api"},
		{from: "auth/api", to: "auth"},
		{from: "operator", to: "messaging"},
		{from: "messaging/unplaced", to: "internal/db"},
		{from: "messaging/message", to: "messaging/delivery"},
		{from: "messaging/message", to: "messaging/outbox"},
		{from: "messaging/quota", to: "messaging/webhooks"},
		{from: "messaging/outbox", to: "messaging/delivery"},
		{from: "messaging/inbox", to: "messaging/delivery"},
		{from: "messaging/webhooks", to: "messaging/delivery"},
		{from: "messaging/otp", to: "messaging/api"},
		{from: "auth/api", to: "cmd/griot/banner"},
		{from: "gateway/virtual", to: "cmd/griot/banner"},

		// From one service to the other, or from a gateway to a service.
		{from: "messaging/otp", to: "auth/tenant"},
		{from: "messaging/api", to: "auth/api"},
		{from: "auth/login", to: "messaging/delivery"},
		{from: "auth", to: "messaging"},
		{from: "auth/api", to: "messaging/message"},
		{from: "gateway", to: "messaging/message"},
		{from: "gateway/smtp", to: "auth/oauth"},

		// Leaves.
		{from: "internal/httpx", to: "auth/oauth"},
		{from: "internal/db", to: "messaging/message"},
		{from: "internal/phone", to: "gateway"},
		{from: "internal/config", to: "cmd/griot/banner"},
		{from: "internal/httpx", to: "web"},
		{from: "internal/httpx", to: "openapi"},
		{from: "internal/httpx", to: "client"},
		{from: "web", to: "internal/i18nmore"},
		{from: "web", to: "messaging/message"},
		{from: "openapi", to: "internal/apierror"},

		// A transaction in what people and programs see.
		{from: "auth/api", to: "internal/db"},
		{from: "auth/dashboard", to: "internal/db"},
		{from: "auth/verbs", to: "internal/db"},
		{from: "auth/api", to: "internal/db", fromTest: true, allowed: true},
		{from: "operator", to: "internal/db"},

		// Packages without a layer.
		{from: "cmd/griot", to: "messaging/campaign"},
		{from: "messaging/campaign", to: "internal/db"},
		{from: "billing", to: "internal/db"},
		{from: "authentic", to: "internal/db"},
		{from: ".", to: "internal/phone"},

		// Tests and their helpers.
		{from: "messaging/delivery", to: "internal/db/dbtest"},
		{from: "cmd/griot", to: "gateway/gatewaytest"},
		{from: "gateway", to: "gateway/gatewaytest"},
		{from: "messaging/delivery", to: "internal/db/dbtest", fromTest: true, allowed: true},
		{from: "internal/db", to: "internal/db/dbtest", fromTest: true, allowed: true},
		{from: "internal/db/dbtest", to: "internal/db", allowed: true},
		{from: "gateway/gatewaytest", to: "internal/db/dbtest", allowed: true},
		{from: "internal/apitest", to: "openapi", allowed: true},
		{from: "auth/tenant", to: "auth/api", fromTest: true, allowed: true},
		{from: "messaging/otp", to: "auth/tenant", fromTest: true},
		{from: "messaging/otp", to: "auth/authtest", fromTest: true},
		{from: "internal/apitest", to: "auth/oauth"},
		{from: "gateway/gatewaytest", to: "messaging/delivery"},
	} {
		problem := importProblem(tt.from, tt.to, tt.fromTest)
		if (problem == "") != tt.allowed {
			t.Errorf("%s -> %s (in a test: %v): allowed = %v, want %v; %q", tt.from, tt.to, tt.fromTest, problem == "", tt.allowed, problem)
		}
	}
}

func TestImports(t *testing.T) {
	for _, p := range sourceTree(t) {
		if p.dir == "." {
			t.Errorf("%s is in the root, which holds no code: tests of the whole repository are in test/arch", p.files[0].path)
		}
		for _, f := range p.files {
			for _, spec := range f.ast.Imports {
				to := strings.Trim(spec.Path.Value, `"`)
				if to != module && !strings.HasPrefix(to, module+"/") {
					continue
				}
				to = path.Clean("./" + strings.TrimPrefix(to, module))
				if problem := importProblem(p.dir, to, f.test); problem != "" {
					t.Errorf("%s imports %s: %s", f.at(spec), spec.Path.Value, problem)
				}
			}
		}
		if _, ok := layerOf(p.dir); !ok && !isHelper(p.dir) && p.code() {
			t.Errorf("%s has no layer: give it its place in test/arch/imports_test.go", p.dir)
		}
	}
}
