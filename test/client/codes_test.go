package client_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"testing"

	griot "example.com/griot/client"
	"example.com/griot/internal/apierror"
)

const (
	dashboardOnly = "only somebody who is signed in to the dashboard meets it"
	billingOnly   = "only the payment provider, or an owner on the page of plans, meets it"
)

// withoutSentinel are codes of the catalog that the client has no error for.
var withoutSentinel = map[string]string{
	"sign_in_failed": dashboardOnly, "session_required": dashboardOnly, "recent_code_required": dashboardOnly, "origin_mismatch": dashboardOnly, "account_required": dashboardOnly,
	"invitation_foreign": dashboardOnly, "invitation_not_found": dashboardOnly, "invitation_used": dashboardOnly, "invitation_expired": dashboardOnly,
	"key_not_found": dashboardOnly, "key_inactive": dashboardOnly, "member_not_found": dashboardOnly, "already_member": dashboardOnly, "account_not_found": dashboardOnly, "owns_another_account": dashboardOnly,
	"too_many_items": dashboardOnly, "pairing_unsupported": dashboardOnly, "gateway_unavailable": dashboardOnly,
	"subscription_active": billingOnly, "invalid_plan": billingOnly, "invalid_signature": billingOnly, "invalid_event": billingOnly, "mode_mismatch": billingOnly,
	"already_on_plan": billingOnly, "no_subscription": billingOnly, "billing_manual": billingOnly, "billing_unavailable": billingOnly,
}

// sentinels returns the names of the client's errors by their codes.
func sentinels(t *testing.T, file string) map[string]string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		if literal, ok := spec.Values[0].(*ast.BasicLit); ok {
			code, err := strconv.Unquote(literal.Value)
			if err != nil || found[code] != "" {
				t.Errorf("%s has the code %s of %s too; %v", spec.Names[0].Name, literal.Value, found[code], err)
			}
			found[code] = spec.Names[0].Name
		}
		return true
	})
	return found
}

// Each code that a key can meet has its error in the client, and no other.
func TestCodes_AreTheCatalogues(t *testing.T) {
	have, catalogue := sentinels(t, "../../client/codes.go"), map[string]bool{}
	for _, k := range apierror.MessagingKinds() {
		catalogue[k.Code] = true
		name, reason := have[k.Code], withoutSentinel[k.Code]
		if (name == "") == (reason == "") {
			t.Errorf("%s: got the error %q, and the reason %q to have none; want one of the two", k.Code, name, reason)
		}
	}
	for _, code := range slices.Sorted(maps.Keys(have)) {
		if !catalogue[code] {
			t.Errorf("%s is the code of %s, and not in the catalog", code, have[code])
		}
	}
	for code := range withoutSentinel {
		if !catalogue[code] {
			t.Errorf("%s has a reason to have no error, and is not in the catalog", code)
		}
	}
}

func TestCodes_AreErrors(t *testing.T) {
	err := fmt.Errorf("order 7: %w", &griot.Error{Code: "quota_exceeded", HTTPStatus: 429})
	if !errors.Is(err, griot.ErrQuotaExceeded) || errors.Is(err, griot.ErrRateLimited) || errors.Is(griot.ErrQuotaExceeded, &griot.Error{}) {
		t.Errorf("%v is compared wrongly", err)
	}
	if !errors.Is(&griot.Error{Code: griot.CodeUnexpected}, griot.ErrUnexpectedAnswer) {
		t.Error("an unexpected answer is not ErrUnexpectedAnswer")
	}
}
