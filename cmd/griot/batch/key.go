package batch

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"hash/maphash"
	"maps"
	"slices"

	"golang.org/x/text/unicode/norm"

	griot "example.com/griot/client"
	"example.com/griot/messaging/person"
)

// The versions of keys. A row that the service knows under the key of an earlier version keeps that key, so a new form
// of keys needs a new prefix.
const (
	keyPrefix     = "griot-batch2-"
	earlierPrefix = "griot-batch-" // of the versions whose keys depended on the spelling of the recipient
)

// content identifies a message: messages with the same content are the same.
type content struct {
	Batch          string
	To             string
	Channel        griot.Channel
	Group          string
	Text, HTML     string
	Subject        string
	Preset         string
	Variables      map[string]string
	WhatsApp       *griot.Forms
	Media, Caption string
	Simulated      bool
	Nth            int
}

func contentOf(m *griot.Message) content {
	return content{To: m.To, Channel: m.Channel, Group: m.GroupID, Text: m.Text, HTML: m.HTML, Subject: m.Subject, Preset: m.Preset, Variables: m.PresetVariables, WhatsApp: m.WhatsApp, Media: m.MediaURL, Caption: m.Caption}
}

// personal returns the content of a message to a person, however the address is spelled and the text is encoded.
func personal(m *griot.Message) content {
	c := contentOf(m)
	c.To, c.Caption = person.Form(m.To), norm.NFC.String(m.Caption)
	return c
}

func (c *content) sum() (sum [sha256.Size]byte, err error) {
	b, err := json.Marshal(c)
	return sha256.Sum256(b), err
}

// A short sum identifies a message within a run.
type short [16]byte

// keys creates the idempotency keys of a batch.
type keys struct {
	plan      *Plan
	simulated bool            // real and simulated messages share no keys
	seen      map[short]int32 // by content. nil: a person gets a message once (Plan.Once)
}

func newKeys(p *Plan, simulated bool) *keys {
	k := &keys{plan: p, simulated: simulated}
	if !p.Once {
		k.seen = map[short]int32{}
	}
	return k
}

// next returns the keys of the next row's message: the key of this version, and the one that earlier versions gave it,
// or "" if they refused the row. Unless a person gets a message once, identical rows are counted, so that each has its own
// key, and the same key when the file is read again.
func (k *keys) next(m *griot.Message, row Row) (key, earlier string, err error) {
	c := personal(m)
	if key, err = k.key(keyPrefix, k.plan.Name, &c); err != nil {
		return "", "", err
	}
	if before, refused := k.plan.message.fill(k.plan.message.before, row.before()); refused == nil {
		c := contentOf(before)
		earlier, err = k.key(earlierPrefix, k.plan.earlier, &c)
	}
	return key, earlier, err
}

func (k *keys) key(prefix, batch string, c *content) (string, error) {
	c.Batch, c.Simulated = batch, k.simulated
	sum, err := c.sum()
	if err == nil && k.seen != nil {
		counted := sha256.Sum256(append([]byte(prefix), sum[:]...))
		same := short(counted[:])
		c.Nth = int(k.seen[same])
		k.seen[same]++
		sum, err = c.sum()
	}
	return prefix + base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:20]), err
}

// repeats finds rows that repeat the person, or the person and the message, of an earlier row.
type repeats struct {
	seed             maphash.Seed
	people, messages map[uint64]struct{}
}

func newRepeats() *repeats {
	return &repeats{maphash.MakeSeed(), map[uint64]struct{}{}, map[uint64]struct{}{}}
}

// next reports whether an earlier message went to the same person, and whether it was also the same message.
func (r *repeats) next(m *griot.Message) (samePerson, sameMessage bool, err error) {
	c := personal(m)
	b, err := json.Marshal(c)
	return known(r.people, maphash.String(r.seed, c.To)), known(r.messages, maphash.Bytes(r.seed, b)), err
}

// known adds a sum, and reports whether it was already there.
func known(sums map[uint64]struct{}, sum uint64) bool {
	_, ok := sums[sum]
	sums[sum] = struct{}{}
	return ok
}

// cells returns a row's cells in a form that doesn't depend on how a program saved the file: the names of the columns
// with their values, without empty ones, and the recipient's column with the person.
func cells(row Row, toColumn, to string) ([]byte, error) {
	var all [][2]string
	toColumn, _ = resolve(row.Values, toColumn)
	for _, column := range slices.Sorted(maps.Keys(row.Values)) {
		switch value := row.Values[column]; {
		case column == toColumn:
			all = append(all, [2]string{folded(column), person.Form(to)})
		case column != "" && value != "":
			all = append(all, [2]string{folded(column), value})
		}
	}
	return json.Marshal(all)
}

// before returns a row's values as earlier versions read them.
func (r Row) before() map[string]string {
	if r.earlier != nil {
		return r.earlier
	}
	return r.Values
}

// compose returns values in composed Unicode (NFC), and the original values if they differ.
func compose(values map[string]string) (composed, earlier map[string]string) {
	for name, value := range values {
		if !norm.NFC.IsNormalString(name) || !norm.NFC.IsNormalString(value) {
			composed = make(map[string]string, len(values))
			for name, value := range values {
				composed[norm.NFC.String(name)] = norm.NFC.String(value)
			}
			return composed, values
		}
	}
	return values, nil
}
