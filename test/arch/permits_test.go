package arch_test

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// withoutPermit lists the exported methods that get a caller and check no permit, with the reason.
var withoutPermit = map[string]string{
	"messaging/account.CheckMembershipFor": "checks values only",
	"messaging/account.CheckProject":       "decides which project a permitted caller sees",
	"messaging/account.ProjectsFor":        "decides which projects a permitted caller sees",
	"messaging/account.SeesProject":        "decides which project a permitted caller sees",
	"messaging/account.Check":              "is the check of a permit",

	"messaging/delivery.Submit":      "a replay is answered first, so the surfaces' routes have the permit (docs/decisions/0074)",
	"messaging/delivery.SubmitWith":  "as Submit",
	"messaging/delivery.SubmitBatch": "as Submit",
	"messaging/delivery.Preview":     "as Submit, whose answer it predicts",
	"messaging/otp.Issue":            "as Submit",
	"messaging/otp.Verify":           "as Submit",

	"messaging/mcp.Serve": "the operation of each tool checks",
}

// An operation that gets a caller checks a permit, itself or by a function of its package, so that no surface can leave
// the check out. TestPermits_EachRouteAnswersAsItsPermit finds one that checks the wrong permit.
func TestOperations_CheckAPermit(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, p := range sourceTree(t) {
		l, _ := layerOf(p.dir)
		if !within(p.dir, "messaging") || l >= callers || isHelper(p.dir) {
			continue
		}
		funcs := map[string][]*ast.FuncDecl{}
		for _, f := range p.files {
			for _, d := range f.ast.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && !f.test {
					funcs[fn.Name.Name] = append(funcs[fn.Name.Name], fn)
				}
			}
		}
		for name, all := range funcs {
			for _, fn := range all {
				if !fn.Name.IsExported() || fn.Recv == nil || !getsCaller(fn) {
					continue
				}
				of := p.dir + "." + name
				reason := withoutPermit[of]
				seen[of] = true
				switch checks := checksPermit(fn, funcs, nil); {
				case !checks && reason == "":
					t.Errorf("%s gets a caller and checks no permit", of)
				case checks && reason != "":
					t.Errorf("%s checks a permit: remove it from the list of those that don't", of)
				}
			}
		}
	}
	for of := range withoutPermit {
		if !seen[of] {
			t.Errorf("%s is in the list of operations without a permit, and doesn't exist", of)
		}
	}
	if len(seen) < 70 {
		t.Errorf("%d operations get a caller, want at least 70", len(seen))
	}
}

// getsCaller reports whether a parameter of a function is an *account.Caller.
func getsCaller(fn *ast.FuncDecl) bool {
	return slices.ContainsFunc(fn.Type.Params.List, func(p *ast.Field) bool {
		star, ok := p.Type.(*ast.StarExpr)
		if !ok {
			return false
		}
		switch of := star.X.(type) {
		case *ast.Ident:
			return of.Name == "Caller"
		case *ast.SelectorExpr:
			return of.Sel.Name == "Caller"
		}
		return false
	})
}

// checksPermit reports whether a function calls Check of a permit (account.May…), or passes its caller to a function of
// its package that does.
func checksPermit(fn *ast.FuncDecl, funcs map[string][]*ast.FuncDecl, walked []string) (checks bool) {
	if slices.Contains(walked, fn.Name.Name) {
		return false
	}
	walked = append(walked, fn.Name.Name)
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || checks {
			return !checks
		}
		called, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if called.Sel.Name == "Check" && isPermit(called.X) {
			checks = true
			return false
		}
		for _, next := range funcs[called.Sel.Name] {
			if getsCaller(next) && checksPermit(next, funcs, walked) {
				checks = true
			}
		}
		return !checks
	})
	return checks
}

// isPermit reports whether an expression is one of the permits, or a parameter of their type.
func isPermit(e ast.Expr) bool {
	switch of := e.(type) {
	case *ast.Ident:
		return strings.HasPrefix(of.Name, "May") || of.Name == "p" || of.Name == "permit"
	case *ast.SelectorExpr:
		return strings.HasPrefix(of.Sel.Name, "May")
	}
	return false
}
