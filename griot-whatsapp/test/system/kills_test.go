package system_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.mau.fi/whatsmeow/types"

	"example.com/griot/griot-whatsapp/fakewhatsapp"
	"example.com/griot/griot-whatsapp/phonetest"
	"example.com/griot/griot-whatsapp/storetest"
)

const (
	fewRounds   = 2       // in make test-system
	fixedSeed   = 20_2611 // of those
	roundWrites = 12      // messages of each person, at least; they write until the last fault has ended
	roundSends  = 10      // messages to each person and to the group
	parents     = "12036300001"
)

// writers are the people of a round. The first two are members of the group.
var writers = []string{awa, moussa, "22370000003"}

// Both programs and their connection are killed at random while messages are sent and received and numbers are linked.
// WhatsApp bans a number in the middle, which is then linked again. The history checker finds no lost, doubled, or
// reordered message. A round takes some 25 seconds, because its programs start again, and wait for the leases of those that
// were killed. make test-long runs 100 rounds with random seeds.
func TestLinkedKills(t *testing.T) {
	rounds, seed := fewRounds, uint64(fixedSeed)
	if text := os.Getenv("GRIOT_TEST_LINKED_KILLS"); text != "" {
		var err error
		if rounds, err = strconv.Atoi(text); err != nil || rounds < 1 {
			t.Fatalf("GRIOT_TEST_LINKED_KILLS is %q, want a number", text)
		}
		seed = rand.Uint64() >> 40
	}
	if text := os.Getenv("GRIOT_TEST_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	checker := filepath.Join(t.TempDir(), "check")
	if !build("../../..", checker, "./test/system/fleet/history/check") {
		t.Fatal("the history checker can't be built")
	}
	for n := range rounds {
		seed := seed + uint64(n)
		database := [2]string{"sqlite", "postgres"}[seed%2]
		t.Run(fmt.Sprintf("%s/%d", database, seed), func(t *testing.T) {
			r := newRound(t, seed)
			r.run()
			r.check(checker)
		})
	}
}

// round is one deployment that is killed several times.
type round struct {
	*deployment
	seed   uint64
	rng    *rand.Rand // of the faults
	rec    recorder
	phones []*phonetest.Phone
	shop   tradesman     // its number is linked from the start
	branch tradesman     // its number is linked during the round
	calm   atomic.Bool   // the last fault has ended
	ended  chan struct{} // closed when the round ends
	begun  []string      // faults, for the log
}

// tradesman is an account with a number.
type tradesman struct {
	number, key string
	sender      string // its ID
}

// newRound starts the deployment of a round. An odd seed uses PostgreSQL.
func newRound(t *testing.T, seed uint64) *round {
	t.Helper()
	s, err := fakewhatsapp.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	for i, number := range append([]string{shop, receiver, branch}, writers...) {
		s.AddUser(number, strconv.Itoa(900_001+i))
	}
	s.AddGroup(fakewhatsapp.Group{ID: parents, Name: "Parents", Members: []string{writers[0], writers[1], shop}, Admins: map[string]bool{shop: true}})
	r := &round{deployment: deploy(t, s, receiver), seed: seed, rng: rand.New(rand.NewPCG(seed, 1)), ended: make(chan struct{})}
	r.rec.began = time.Now()
	hook := r.rec.endpoint(t)
	r.edit("griot.yaml", func(text string) string {
		return text + fmt.Sprintf("send_wait: 300ms\nunknown_wait: 3s\nwebhooks: {allow: [%q]}\n", hook)
	})
	r.set("first_contact: true")
	if seed%2 == 1 {
		core := storetest.Postgres(t)
		r.edit("griot.yaml", func(text string) string {
			return strings.Replace(text, "database: sqlite:griot.db", fmt.Sprintf("database: %q", core), 1)
		})
		r.set(fmt.Sprintf("store: %q", storetest.Postgres(t)))
	}
	r.startGriot()
	r.startLinked(0)
	r.shop, r.branch = r.open("Boutique Awa", shop, hook), r.open("Succursale", branch, hook)
	r.pairByGriot(r.shop.sender, shop, r.shop.key)
	r.verb("senders", "warm-up", r.shop.sender, "--off")
	for _, number := range writers {
		r.phones = append(r.phones, phonetest.New(t, s, number))
	}
	r.rec.declare(observed{Kind: "gateway", Gateway: "linked", Class: "phone"})
	r.rec.declare(observed{Kind: "account", Account: "shop", Webhooks: true})
	return r
}

// open creates an account with a number and an endpoint.
func (r *round) open(name, number, hook string) tradesman {
	r.t.Helper()
	account := r.admin("id", "accounts", "create", "--name", name, "--email", number+"@example.com")
	r.verb("webhooks", "set", "--account", account, "--url", hook)
	return tradesman{
		number: number, key: "X-API-Key: " + r.admin("key", "api-keys", "create", "--account", account),
		sender: r.admin("id", "senders", "add", "--account", account, "--channel", "whatsapp", "--address", number, "--gateway", "linked"),
	}
}

// edit changes a file of the deployment.
func (d *deployment) edit(name string, change func(string) string) {
	d.t.Helper()
	path := filepath.Join(d.dir, name)
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, []byte(change(string(text))), 0o600)
	}
	if err != nil {
		d.t.Fatal(err)
	}
}

// run creates the load and the faults, and waits until everything has arrived.
func (r *round) run() {
	r.t.Helper()
	began := time.Now()
	var load, background sync.WaitGroup
	for i, p := range r.phones {
		background.Go(func() { r.hear(writers[i], p) })
		load.Go(func() { r.write(writers[i], p, rand.New(rand.NewPCG(r.seed, uint64(10+i)))) })
		load.Go(func() { r.send(writers[i], "", rand.New(rand.NewPCG(r.seed, uint64(20+i)))) })
	}
	load.Go(func() { r.send(writers[0], parents, rand.New(rand.NewPCG(r.seed, 30))) })
	linking := rand.New(rand.NewPCG(r.seed, 40))
	load.Go(func() { r.link(r.branch, linking) })
	r.harm()
	r.calm.Store(true)
	load.Wait()
	loaded := time.Since(began)
	r.settle()
	close(r.ended)
	background.Wait()
	r.t.Logf("%v; the load took %v, the rest %v", r.begun, loaded.Round(time.Millisecond), (time.Since(began) - loaded).Round(time.Millisecond))
}

// pause sleeps for a random time of at most d.
func pause(rng *rand.Rand, d time.Duration) { time.Sleep(time.Duration(rng.Int64N(int64(d)))) }

// write writes a person's messages to the shop.
func (r *round) write(number string, p *phonetest.Phone, rng *rand.Rand) {
	for n := 0; n < roundWrites || !r.calm.Load(); {
		pause(rng, 700*time.Millisecond)
		if r.whatsApp.Devices(shop) == 0 && rng.IntN(4) > 0 { // most of what no one gets shows nothing
			continue
		}
		n++
		r.writeOne(shop, number, p, fmt.Sprintf("w-%s-%d", number[8:], n))
	}
}

// writeOne writes one message to a number.
func (r *round) writeOne(to, number string, p *phonetest.Phone, content string) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	begin := r.rec.now()
	sent, err := p.Client.SendMessage(ctx, types.NewJID(to, types.DefaultUserServer), phonetest.Words(content))
	if err != nil {
		r.t.Errorf("a phone could not send: %v", err)
	}
	r.rec.add(observed{Kind: "written", Begin: begin, Sender: to, To: number, Content: content, Result: "unknown", whatsAppID: sent.ID})
}

// hear records what arrives at a person's phone, until the round ends.
func (r *round) hear(number string, p *phonetest.Phone) {
	for {
		select {
		case e := <-p.Events:
			r.rec.heard(number, e)
		case <-r.ended:
			return
		}
	}
}

// send sends messages to a person, or to the group, and repeats each request until there is a response.
func (r *round) send(to, group string, rng *rand.Rand) {
	for n := range roundSends {
		pause(rng, 2*time.Second)
		key := fmt.Sprintf("s-%s-%s-%d", to[8:], group, n)
		body := map[string]any{"channel": "whatsapp", "to": to, "message": key, "idempotencyKey": key}
		if group != "" {
			body["groupId"] = group + "@g.us"
		}
		if rng.IntN(2) == 0 {
			body["retry"] = true
		}
		raw, err := json.Marshal(body)
		if err != nil {
			panic(err)
		}
		e := observed{Kind: "send", Account: "shop", Gateway: "linked", Sender: shop, To: to, Key: key}
		for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
			e.Begin, e.End = r.rec.now(), 0
			answer, err := call(r.t, "POST", r.api+"/api/send", string(raw), r.shop.key)
			e.Result = "unknown"
			if err == nil {
				if e.Message, _ = answer.body["messageId"].(string); e.Message != "" {
					e.Result = "accepted"
				} else if answer.status >= 400 && answer.status < 500 {
					e.Result = "refused"
					e.Code, _ = answer.body["code"].(string)
				}
			}
			r.rec.sent(e, group)
			if e.Result == "refused" && e.Code == "gateway_not_connected" && rng.IntN(8) > 0 { // most accounts try again later
				pause(rng, time.Second)
				continue
			}
			if e.Result != "unknown" {
				break
			}
		}
	}
}

// link links a sender's number with griot admin, and repeats that until it is linked.
func (r *round) link(who tradesman, rng *rand.Rand) {
	var problem string
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		linked, err := r.linkOnce(ctx, who, rng)
		cancel()
		for until := time.Now().Add(10 * time.Second); linked && time.Now().Before(until); time.Sleep(20 * time.Millisecond) {
			if r.whatsApp.Online(who.number) > 0 { // otherwise, it was unlinked in the meantime
				return
			}
		}
		problem = err
		pause(rng, 500*time.Millisecond)
	}
	r.t.Errorf("%s was not linked: %s", who.number, problem)
}

// linkOnce reports whether a number was linked, or the problem.
func (r *round) linkOnce(ctx context.Context, who tradesman, rng *rand.Rand) (linked bool, problem string) {
	c := exec.CommandContext(ctx, griot, "admin", "senders", "pair", who.sender, "--json")
	c.Dir, c.Env = r.dir, environ()
	errs := &output{}
	c.Stderr = errs
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		return false, err.Error()
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var now struct{ QR string }
		if json.Unmarshal(lines.Bytes(), &now) == nil && now.QR != "" {
			pause(rng, 300*time.Millisecond)
			_ = r.whatsApp.ScanQR(now.QR, who.number) // the gateway that has shown it might have been killed
		}
	}
	if err := c.Wait(); err != nil && !strings.Contains(errs.String(), "already linked") {
		return false, errs.String()
	}
	return true, ""
}

// A fault of a round.
type fault struct {
	name   string
	weight int
	do     func(r *round)
}

var faults = []fault{
	{"kill griot-whatsapp", 4, func(r *round) { r.linked.kill(); r.rest(); r.restartLinked() }},
	{"kill griot", 4, func(r *round) { r.griot.kill(); r.rest(); r.restartGriot() }},
	{"kill both", 2, func(r *round) { r.linked.kill(); r.griot.kill(); r.rest(); r.restartLinked(); r.restartGriot() }},
	{"drop the connection", 3, func(r *round) { r.whatsApp.Kick(shop, nil) }},
	{"drop it with a message", 2, func(r *round) { r.during(fakewhatsapp.Faults{From: shop, DropOnMessage: true}) }},
	{"lose acknowledgments", 2, func(r *round) { r.during(fakewhatsapp.Faults{From: shop, DropAcks: true}) }},
	{"drop it before queries", 1, func(r *round) {
		r.during(fakewhatsapp.Faults{From: shop, Refuse: map[fakewhatsapp.Query]int{fakewhatsapp.Devices: fakewhatsapp.Drop, fakewhatsapp.PreKeys: fakewhatsapp.Drop, fakewhatsapp.Groups: fakewhatsapp.Drop}})
	}},
}

// bans are the ways in which WhatsApp ends the use of the shop's number. After the first two, it is linked again.
var bans = []fault{
	{"log out", 2, func(r *round) {
		r.whatsApp.Kick(shop, fakewhatsapp.Removed())
		r.relink()
	}},
	{"ban", 2, func(r *round) {
		r.whatsApp.Set(fakewhatsapp.Faults{ConnectFailure: &fakewhatsapp.Failure{Reason: 406, Phone: shop}})
		r.whatsApp.Kick(shop, nil)
		r.metricIs(`griot_whatsapp_connections{state="banned"}`, 1)
		r.whatsApp.Set(fakewhatsapp.Faults{})
		r.whatsApp.Unlink(shop)
		r.relink()
	}},
	{"ban for two seconds", 1, func(r *round) {
		r.during(fakewhatsapp.Faults{ConnectFailure: &fakewhatsapp.Failure{Reason: 402, Phone: shop, Expire: 2 * time.Second}}, func() { r.whatsApp.Kick(shop, nil) })
	}},
	{"no ban", 2, func(*round) {}},
}

// rest waits for a moment before a program is started again.
func (r *round) rest() { pause(r.rng, 700*time.Millisecond) }

// during sets faults for a moment.
func (r *round) during(f fakewhatsapp.Faults, then ...func()) {
	r.whatsApp.Set(f)
	for _, do := range then {
		do()
	}
	pause(r.rng, 500*time.Millisecond)
	r.whatsApp.Set(fakewhatsapp.Faults{})
}

// restartLinked starts griot-whatsapp and doesn't wait for it.
func (r *round) restartLinked() { r.linked = start(r.t, r.dir, r.env, linked, "serve") }

// restartGriot starts Griot, and again if a command of griot admin had the database open, as a supervisor would.
func (r *round) restartGriot() {
	r.t.Helper()
	env := []string{"GRIOT_FETCH_FROM_HERE=1"}
	r.griot = start(r.t, r.dir, env, griot, "serve")
	eventually(r.t, "griot serve", func() string {
		answer, err := call(r.t, "GET", r.internal+"/readyz", "")
		if err == nil && answer.status == http.StatusOK {
			return ""
		}
		said := r.griot.out.String()
		if strings.Contains(said, "in use by another process") {
			r.griot.kill()
			r.griot = start(r.t, r.dir, env, griot, "serve")
		}
		return fmt.Sprintf("%v\n%s", err, said)
	})
}

// relink links the shop's number again, while other faults happen.
func (r *round) relink() {
	done := make(chan struct{})
	rng := rand.New(rand.NewPCG(r.seed, 50))
	go func() {
		defer close(done)
		r.link(r.shop, rng)
	}()
	for range 1 + r.rng.IntN(2) {
		pause(r.rng, time.Second)
		r.harmOnce(faults)
	}
	<-done
}

// metricIs waits until griot-whatsapp reports a value.
func (r *round) metricIs(name string, want float64) {
	r.t.Helper()
	eventually(r.t, name, func() string {
		if got := r.metric(name); got != want {
			return fmt.Sprintf("it is %v, want %v; seed %d, %v\n%s", got, want, r.seed, r.begun, r.linked.out)
		}
		return ""
	})
}

// harm causes the faults of the round.
func (r *round) harm() {
	n := 3 + r.rng.IntN(3)
	ban := r.rng.IntN(n)
	for i := range n {
		pause(r.rng, 1500*time.Millisecond)
		if r.harmOnce(faults); i == ban {
			pause(r.rng, 500*time.Millisecond)
			r.harmOnce(bans)
		}
	}
}

// harmOnce causes one of some faults.
func (r *round) harmOnce(list []fault) {
	total := 0
	for _, f := range list {
		total += f.weight
	}
	n := r.rng.IntN(total)
	for _, f := range list {
		if n -= f.weight; n < 0 {
			r.begun = append(r.begun, f.name)
			e := observed{Kind: "fault", Begin: r.rec.now(), Status: f.name}
			f.do(r)
			r.rec.add(e)
			return
		}
	}
}

// settle waits until both programs are connected and everything has arrived, and records the ends.
func (r *round) settle() {
	r.t.Helper()
	for i, p := range r.phones[:1] { // the branch's number works
		r.metricIs(`griot_whatsapp_connections{state="connected"}`, 2)
		r.writeOne(branch, writers[i], p, "w-branch")
	}
	r.metricIs(`griot_whatsapp_connections{state="connected"}`, 2)
	for _, number := range []string{shop, branch} {
		if n := r.whatsApp.Devices(number); n != 1 {
			r.t.Errorf("%s has %d devices, want one", number, n)
		}
	}
	r.outcomes(nil)
	eventually(r.t, "WhatsApp's queue", func() string {
		if n := r.rec.queued(r.whatsApp); n > 0 {
			return fmt.Sprintf("%d stanzas wait\n%s", n, r.linked.out)
		}
		return ""
	})
	r.rec.receipts(r.whatsApp) // Griot must know them when the gateway has brought all events
	r.metricIs("griot_whatsapp_spool_events", 0)
	r.outcomes(r.rec.add)
	for _, who := range []tradesman{r.shop, r.branch} {
		r.events(who)
		r.inbox(who)
	}
}

// check runs the history checker and fails the test with its findings.
func (r *round) check(checker string) {
	r.t.Helper()
	f, err := os.CreateTemp("", "griot-history-*.jsonl")
	if err != nil {
		r.t.Fatal(err)
	}
	out := json.NewEncoder(f)
	all := r.rec.history(r.whatsApp)
	r.t.Log(counts(all))
	for _, e := range all {
		if err := out.Encode(e); err != nil {
			r.t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		r.t.Fatal(err)
	}
	found, err := exec.CommandContext(r.t.Context(), checker, f.Name()).CombinedOutput()
	if err != nil || r.t.Failed() {
		r.t.Errorf("%s%v\nthe history is %s; GRIOT_TEST_SEED=%d make test-long ARGS=\"linked-kills 1\" repeats the round", found, err, f.Name(), r.seed)
		return
	}
	if err := os.Remove(f.Name()); err != nil {
		r.t.Error(err)
	}
}
