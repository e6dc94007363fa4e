package operator_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/actor"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/id"
	"example.com/griot/messaging/audit"
	messagingverbs "example.com/griot/messaging/verbs"
	"example.com/griot/operator/operatortest"
	"example.com/griot/web/webtest"
)

// English texts come from the table of verbs, except those that read better on a page. French has a text for everything
// that the pages show of it.
func TestTexts_OfTheTableAreThere(t *testing.T) {
	t.Parallel()
	s := operatortest.NewSite(t, dbtest.SQLite(t))
	known := []string{}
	for _, keys := range s.Pages.TextKeys() {
		known = append(known, keys...)
		if !slices.ContainsFunc(keys, i18n.FR.Has) {
			t.Errorf("no French text %s", strings.Join(keys, " or "))
		}
		if len(keys) > 1 && i18n.FR.Has(keys[0]) && !i18n.EN.Has(keys[0]) && i18n.EN.Has(keys[1]) {
			t.Errorf("French has the text %s, but English shows the one for other objects, %s", keys[0], keys[1])
		}
		if strings.HasPrefix(keys[0], "table.done.") && !slices.ContainsFunc(keys, i18n.EN.Has) {
			t.Errorf("no English text %s", strings.Join(keys, " or "))
		}
	}
	for _, lang := range i18n.Langs() {
		for _, key := range lang.Keys() {
			kind, of, _ := strings.Cut(strings.TrimPrefix(key, "table."), ".")
			if strings.HasPrefix(key, "table.") && !slices.Contains([]string{"none", "confirm", "value"}, kind) && !slices.Contains(known, key) {
				t.Errorf("no page shows %s of %s", kind, of)
			}
		}
	}
}

// Each setting of a form has a label in both languages, and the texts contain no other settings.
func TestTexts_OfSettingsAreThere(t *testing.T) {
	t.Parallel()
	s := operatortest.NewSite(t, dbtest.SQLite(t))
	known := map[string]bool{}
	for _, kind := range operatortest.Ask[[]messagingverbs.GatewayKind](s, "gateways.kinds", messagingverbs.Nothing{}) {
		known["setting.kind."+kind.Name] = true
		known["setting.channel."+cmp.Or(string(kind.Channel), "any")] = true
		known["setting.price."+string(kind.Price)] = true
		if kind.Name != "remote" && (kind.Channel == "" || kind.Price == messagingverbs.PriceUnknown) {
			t.Errorf("%s has no channel or no price", kind.Name)
		}
		for _, one := range kind.Settings {
			known["setting.label."+one.Name] = true
		}
	}
	for key := range known {
		if !i18n.EN.Has(key) {
			t.Errorf("no text %s", key)
		}
	}
	for _, key := range i18n.EN.Keys() {
		if strings.HasPrefix(key, "setting.") && !known[strings.Replace(key, ".hint.", ".label.", 1)] {
			t.Errorf("no form shows %s", key)
		}
	}
}

// What programs set is shown in words, in the language of the page.
func TestLists_ShowWords(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := operatortest.NewSite(t, d)
		s.SignIn()
		operatortest.Ask[messagingverbs.Key](s, "api-keys.create", messagingverbs.KeyInput{OfAccount: messagingverbs.OfAccount{Account: s.Account.ID}, Kind: "live"})
		for _, by := range []actor.Actor{{Type: actor.Member, ID: "mem_1", Email: "awa@example.com"}, {Type: actor.Key, ID: "key_1"}} {
			event := audit.New(actor.With(t.Context(), by), s.Clock.Now(), s.Account.ID, audit.OptOutAdded, "22376000002")
			s.Write(t, func(tx *db.Tx) error { return audit.Record(tx, event) })
		}
		refused := &tenant.Event{ID: id.New(s.Login.Clock.Now()), TenantID: s.Login.Tenant.ID, Type: tenant.LoginRefused, At: s.Login.Clock.Now(), Actor: tenant.ActorGateway + "fake", ErrorCode: "wrong_number"}
		s.Login.Write(t, func(tx *db.Tx) error { return tenant.Record(tx, refused) })
		m := s.Waiting()
		m.RequestedChannel = "auto"
		s.Store(t, m)
		logins := "/operator/audit/logins?tenantId=" + s.Login.Tenant.ID
		s.Get("/operator/audit").Shows(t, "<bdi>Member awa@example.com<", "<bdi>API key key_1<", "<bdi>Operator<")
		s.Get("/operator/audit").Hides(t, "mem_1")
		s.Get(logins).Shows(t, "<bdi>Gateway fake<", "<bdi>denied<")
		s.Get(logins).Shows(t, `data-label="Count" class="none"`) // of an event that stands for itself
		s.Get("/operator/accounts/"+s.Account.ID).Shows(t, "<bdi>Live key<", "<bdi>WhatsApp<")
		s.Get("/operator/gateways").Shows(t, "<bdi>SMS<")
		french := func(path string) webtest.Page { return s.Send("GET", path, nil, "Accept-Language", "fr") }
		french("/operator/audit").Shows(t, "<bdi>Membre awa@example.com<", "<bdi>Clé d’API key_1<", "<bdi>Opérateur<")
		french(logins).Shows(t, "<bdi>Passerelle fake<", "<bdi>Refusé<")
		french("/operator/accounts/"+s.Account.ID).Shows(t, "<bdi>Clé de production<")
		operatortest.Ask[messagingverbs.Sender](s, "senders.add", messagingverbs.SenderInput{Channel: "sms", Address: "36000", Gateway: "fake", WarmUp: &messagingverbs.WarmUp{First: 50, Days: 7}})
		french("/operator/senders").Shows(t, "50, doublés chaque jour pendant 7 jours, depuis le ")
		french("/operator/gateways/fake").Shows(t, "(Connecté)")
		s.Send("POST", "/operator/messages", webtest.Form("id", m.ID), "Accept-Language", "fr").Shows(t, ">En attente<", "Automatique)<")
	})
}
