package history_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/griot/test/system/fleet/history"
)

// world declares a gateway of each class, one with a rate, and accounts.
const world = `
{"kind":"gateway","begin":0,"end":0,"gateway":"dedup","class":"deduplicates"}
{"kind":"gateway","begin":0,"end":0,"gateway":"asked","class":"asked"}
{"kind":"gateway","begin":0,"end":0,"gateway":"plain","class":"neither"}
{"kind":"gateway","begin":0,"end":0,"gateway":"paced","class":"deduplicates","rate":10,"burst":2,"slack":100000}
{"kind":"gateway","begin":0,"end":0,"gateway":"linked","class":"phone"}
{"kind":"account","begin":0,"end":0,"account":"a","webhooks":true}
{"kind":"account","begin":0,"end":0,"account":"b"}
{"kind":"account","begin":0,"end":0,"account":"limited","limit":2}
`

func send(begin, end int, account, gateway, to, message string) string {
	return fmt.Sprintf(`{"kind":"send","begin":%d,"end":%d,"account":%q,"gateway":%q,"sender":"s-%s","to":%q,"key":"k-%s","result":"accepted","message":%q}`, begin, end, account, gateway, gateway, to, message, message) + "\n"
}

func call(begin int, gateway, message, result string) string {
	return fmt.Sprintf(`{"kind":"call","begin":%d,"end":%d,"gateway":%q,"reference":%q,"message":%q,"result":%q}`, begin, begin+1, gateway, message, message, result) + "\n"
}

func final(message, status, code string) string {
	return fmt.Sprintf(`{"kind":"final","begin":9000,"end":9000,"message":%q,"status":%q,"code":%q}`, message, status, code) + "\n"
}

func used(account string, n int) string {
	return fmt.Sprintf(`{"kind":"usage","begin":9000,"end":9000,"account":%q,"used":%d}`, account, n) + "\n"
}

func webhook(id, message, status, digest string) string {
	return fmt.Sprintf(`{"kind":"webhook","begin":9,"end":9,"id":%q,"message":%q,"status":%q,"digest":%q}`, id, message, status, digest) + "\n"
}

// written, stored, and received return the events of a message that a person has written.
func written(begin int, content, result string) string {
	return fmt.Sprintf(`{"kind":"written","begin":%d,"end":%d,"sender":"s","to":"1","content":%q,"result":%q}`, begin, begin+1, content, result) + "\n"
}

func stored(content string, place int) string {
	return fmt.Sprintf(`{"kind":"stored","begin":9000,"end":9000,"sender":"s","to":"1","message":%q,"content":%q,"place":%d}`, "in_"+content, content, place) + "\n"
}

func received(id, content string) string {
	return fmt.Sprintf(`{"kind":"received","begin":90,"end":90,"id":%q,"message":%q,"content":%q}`, id, "in_"+content, content) + "\n"
}

// batched returns the request for a message of a batch.
func batched(begin, end int, place int, message string) string {
	return strings.Replace(send(begin, end, "b", "dedup", "1", message), "{", fmt.Sprintf(`{"id":"batch","place":%d,`, place), 1)
}

// halted returns a request that stops messages of the account b, of which "stop" is about the person 1.
func halted(kind string, begin, end int, result string) string {
	return fmt.Sprintf(`{"kind":%q,"begin":%d,"end":%d,"account":"b","to":"1","result":%q}`, kind, begin, end, result) + "\n"
}

func canceled(begin, end int, message, result string) string {
	return fmt.Sprintf(`{"kind":"cancel","begin":%d,"end":%d,"message":%q,"result":%q}`, begin, end, message, result) + "\n"
}

// waits returns that a message was read as waiting.
func waits(begin int, message string) string {
	return fmt.Sprintf(`{"kind":"waits","begin":%d,"end":%d,"message":%q}`, begin, begin+1, message) + "\n"
}

// sent returns the events of a message that was submitted once, and is SENT.
func sent(begin int, account, gateway, to, message string) string {
	return send(begin, begin+10, account, gateway, to, message) + call(begin+20, gateway, message, "accepted") + final(message, "SENT", "")
}

// turns returns messages whose calls the nodes make alternately, one after each number of microseconds.
func turns(n, every int, nodes ...string) string { return turnsFrom(1000, n, every, nodes...) }

func turnsFrom(begin, n, every int, nodes ...string) (out string) {
	for i := range n {
		id := fmt.Sprint("t", begin, "-", i)
		out += send(begin+i*every-20, begin+i*every-10, "b", "plain", id, id) + final(id, "SENT", "") +
			strings.Replace(call(begin+i*every, "plain", id, "accepted"), "{", fmt.Sprintf(`{"node":%q,`, nodes[i%len(nodes)]), 1)
	}
	return out
}

func event(format string, args ...any) string { return fmt.Sprintf(format, args...) + "\n" }

// calls returns calls of the paced gateway, one after each number of microseconds.
func calls(n, every int) string { return callsFrom(1000, n, every) }

func callsFrom(begin, n, every int) (out string) {
	for i := range n {
		out += call(begin+i*every, "paced", fmt.Sprint("p", begin, i), "accepted")
	}
	return out
}

// Each rule refuses a history that violates it, and accepts similar valid ones.
func TestCheck(t *testing.T) {
	noAnswer := `{"kind":"send","begin":1,"end":2,"account":"b","gateway":"dedup","sender":"s","to":"1","key":"k","result":"unknown"}` + "\n"
	refusedSend := `{"kind":"send","begin":1,"end":2,"account":"limited","gateway":"dedup","sender":"s","to":"1","key":"r","result":"refused","code":"quota_exceeded"}` + "\n"
	pair := written(1, "x", "accepted") + written(5, "y", "accepted") + received("e", "x") + received("f", "y")
	for name, tt := range map[string]struct {
		history string
		want    []history.Rule
	}{
		"nothing": {"", nil},

		"sent, and never called":          {send(1, 2, "b", "dedup", "1", "m") + final("m", "SENT", ""), []history.Rule{history.RuleLost}},
		"read, and only refused":          {send(1, 2, "b", "dedup", "1", "m") + call(5, "dedup", "m", "refused") + final("m", "READ", ""), []history.Rule{history.RuleLost}},
		"still under way":                 {send(1, 2, "b", "dedup", "1", "m") + final("m", "QUEUED", ""), []history.Rule{history.RuleLost}},
		"not found":                       {send(1, 2, "b", "dedup", "1", "m") + call(5, "dedup", "m", "accepted"), []history.Rule{history.RuleLost}},
		"expired without a call":          {send(1, 2, "b", "dedup", "1", "m") + final("m", "EXPIRED", ""), []history.Rule{history.RuleLost}},
		"canceled by no one":              {send(1, 2, "b", "dedup", "1", "m") + final("m", "CANCELED", ""), []history.Rule{history.RuleLost}},
		"unknown, and could be repeated":  {send(1, 2, "b", "dedup", "1", "m") + final("m", "FAILED", "outcome_unknown"), []history.Rule{history.RuleLost}},
		"unknown, and could be asked":     {send(1, 2, "b", "asked", "1", "m") + final("m", "FAILED", "outcome_unknown"), []history.Rule{history.RuleLost}},
		"unknown, and nothing can be":     {send(1, 2, "b", "plain", "1", "m") + final("m", "FAILED", "outcome_unknown"), nil},
		"unknown, and taken":              {send(1, 2, "b", "asked", "1", "m") + call(5, "asked", "m", "accepted") + final("m", "FAILED", "outcome_unknown"), nil},
		"failed after a refusal":          {send(1, 2, "b", "dedup", "1", "m") + call(5, "dedup", "m", "refused") + final("m", "FAILED", "number_invalid"), nil},
		"taken, its answer lost":          {send(1, 2, "b", "plain", "1", "m") + call(5, "plain", "m", "unknown") + final("m", "SENT", ""), nil},
		"canceled by a client":            {send(1, 2, "b", "dedup", "1", "m") + event(`{"kind":"cancel","begin":3,"end":4,"message":"m","result":"unknown"}`) + final("m", "CANCELED", ""), nil},
		"canceled, and taken":             {send(1, 2, "b", "dedup", "1", "m") + event(`{"kind":"cancel","begin":3,"end":4,"message":"m","result":"accepted"}`) + call(5, "dedup", "m", "accepted") + final("m", "CANCELED", ""), []history.Rule{history.RuleCanceled, history.RuleUntrue}},
		"failed, and taken":               {send(1, 2, "b", "plain", "1", "m") + call(5, "plain", "m", "accepted") + final("m", "FAILED", "rejected"), []history.Rule{history.RuleUntrue}},
		"failed, as the gateway said":     {send(1, 2, "b", "plain", "1", "m") + call(5, "plain", "m", "accepted") + event(`{"kind":"receipt","begin":6,"end":7,"message":"m","status":"FAILED","result":"accepted"}`) + final("m", "FAILED", "rejected"), nil},
		"a request without an answer":     {noAnswer + call(5, "dedup", "m", "accepted"), nil},
		"twice, where it is asked":        {sent(1, "b", "asked", "1", "m") + call(50, "asked", "m", "accepted"), []history.Rule{history.RuleDoubled}},
		"twice, the first answer lost":    {send(1, 2, "b", "plain", "1", "m") + call(5, "plain", "m", "unknown") + call(50, "plain", "m", "accepted") + final("m", "SENT", ""), []history.Rule{history.RuleDoubled}},
		"twice, and unanswered":           {noAnswer + call(5, "plain", "m", "accepted") + call(50, "plain", "m", "accepted"), []history.Rule{history.RuleDoubled}},
		"twice, where it is deduplicated": {sent(1, "b", "dedup", "1", "m") + call(50, "dedup", "m", "accepted"), nil},
		"again after a refusal":           {send(1, 2, "b", "plain", "1", "m") + call(5, "plain", "m", "refused") + call(50, "plain", "m", "accepted") + final("m", "SENT", ""), nil},
		"under another reference":         {sent(1, "b", "dedup", "1", "m") + event(`{"kind":"call","begin":50,"end":51,"gateway":"dedup","reference":"m-1","message":"m","result":"accepted"}`), []history.Rule{history.RuleDoubled}},
		"one key, two messages":           {sent(1, "b", "dedup", "1", "m") + strings.ReplaceAll(sent(100, "b", "dedup", "2", "n"), `"k-n"`, `"k-m"`), []history.Rule{history.RuleDoubled}},
		"one key, two accounts":           {sent(1, "b", "dedup", "1", "m") + strings.ReplaceAll(sent(100, "limited", "dedup", "2", "n"), `"k-n"`, `"k-m"`), nil},
		"one key, one message":            {sent(1, "b", "dedup", "1", "m") + send(3, 60, "b", "dedup", "1", "m"), nil},

		"overtaken":                      {send(1, 5, "b", "dedup", "1", "m") + call(90, "dedup", "m", "accepted") + final("m", "SENT", "") + sent(10, "b", "dedup", "1", "n"), []history.Rule{history.RuleOrder}},
		"overtaken by the next but one":  {send(1, 5, "b", "dedup", "1", "m") + call(90, "dedup", "m", "accepted") + final("m", "SENT", "") + send(6, 50, "b", "dedup", "1", "n") + call(95, "dedup", "n", "accepted") + final("n", "SENT", "") + sent(10, "b", "dedup", "1", "o"), []history.Rule{history.RuleOrder}},
		"overtaken, not yet answered":    {send(1, 11, "b", "dedup", "1", "m") + call(90, "dedup", "m", "accepted") + final("m", "SENT", "") + sent(10, "b", "dedup", "1", "n"), nil},
		"overtaken, to others":           {send(1, 5, "b", "dedup", "1", "m") + call(90, "dedup", "m", "accepted") + final("m", "SENT", "") + sent(10, "b", "dedup", "2", "n"), nil},
		"overtaken, from another sender": {send(1, 5, "b", "dedup", "1", "m") + call(90, "dedup", "m", "accepted") + final("m", "SENT", "") + sent(10, "b", "plain", "1", "n"), nil},
		"overtaken while it was tried":   {send(1, 5, "b", "dedup", "1", "m") + call(20, "dedup", "m", "refused") + call(90, "dedup", "m", "accepted") + final("m", "SENT", "") + sent(10, "b", "dedup", "1", "n"), nil},
		"overtaken while it was unknown": {send(1, 5, "b", "dedup", "1", "m") + call(90, "dedup", "m", "accepted") + event(`{"kind":"final","begin":9000,"end":9000,"message":"m","status":"SENT","delayed":true}`) + sent(10, "b", "dedup", "1", "n"), nil},
		"overtaken by one called twice":  {send(1, 5, "b", "dedup", "1", "m") + call(90, "dedup", "m", "accepted") + final("m", "SENT", "") + sent(10, "b", "dedup", "1", "n") + call(95, "dedup", "n", "accepted"), []history.Rule{history.RuleOrder}},

		"not overtaken by one sent again": {event(`{"kind":"send","begin":1,"end":2,"account":"b","gateway":"dedup","sender":"s-dedup","to":"1","key":"k-n","result":"unknown"}`) + send(3, 5, "b", "dedup", "1", "m") + call(90, "dedup", "m", "accepted") + final("m", "SENT", "") + sent(10, "b", "dedup", "1", "n"), nil},
		"overtaken, refused before":       {event(`{"kind":"send","begin":1,"end":2,"account":"b","gateway":"dedup","sender":"s-dedup","to":"1","key":"k-n","result":"refused"}`) + send(3, 5, "b", "dedup", "1", "m") + call(90, "dedup", "m", "accepted") + final("m", "SENT", "") + sent(10, "b", "dedup", "1", "n"), []history.Rule{history.RuleOrder}},
		"overtaken in its batch":          {batched(1, 5, 2, "n") + batched(1, 5, 1, "m") + call(10, "dedup", "n", "accepted") + call(20, "dedup", "m", "accepted") + final("m", "SENT", "") + final("n", "SENT", ""), []history.Rule{history.RuleOrder}},
		"in the order of its batch":       {batched(1, 5, 2, "n") + batched(1, 5, 1, "m") + call(20, "dedup", "n", "accepted") + call(10, "dedup", "m", "accepted") + final("m", "SENT", "") + final("n", "SENT", ""), nil},
		"overtaken, unknown, in a batch":  {batched(1, 5, 2, "n") + batched(1, 5, 1, "m") + call(10, "dedup", "n", "accepted") + call(20, "dedup", "m", "accepted") + event(`{"kind":"final","begin":9000,"end":9000,"message":"m","status":"SENT","delayed":true}`) + final("n", "SENT", ""), nil},
		"in no batch":                     {send(1, 5, "b", "dedup", "1", "n") + send(1, 5, "b", "dedup", "1", "m") + call(10, "dedup", "n", "accepted") + call(20, "dedup", "m", "accepted") + final("m", "SENT", "") + final("n", "SENT", ""), nil},

		"canceled, and sent":              {sent(1, "b", "dedup", "1", "m") + canceled(12, 13, "m", "accepted"), []history.Rule{history.RuleCanceled}},
		"too late to cancel":              {sent(1, "b", "dedup", "1", "m") + canceled(12, 13, "m", "refused"), nil},
		"canceled without an answer":      {sent(1, "b", "dedup", "1", "m") + canceled(12, 13, "m", "unknown"), nil},
		"canceled after a refusal":        {send(1, 2, "b", "dedup", "1", "m") + call(5, "dedup", "m", "refused") + canceled(12, 13, "m", "accepted") + final("m", "CANCELED", ""), nil},
		"stopped, waited, and sent":       {sent(1, "b", "dedup", "1", "m") + halted("stop", 12, 13, "accepted") + waits(14, "m"), []history.Rule{history.RuleStopped}},
		"stopped, and in progress":        {sent(1, "b", "dedup", "1", "m") + halted("stop", 12, 13, "accepted"), nil},
		"stopped, and waited before":      {sent(1, "b", "dedup", "1", "m") + halted("stop", 14, 15, "accepted") + waits(12, "m"), nil},
		"stopped without an answer":       {sent(1, "b", "dedup", "1", "m") + halted("stop", 12, 13, "unknown") + waits(14, "m"), nil},
		"someone else was stopped":        {sent(1, "b", "dedup", "2", "m") + halted("stop", 12, 13, "accepted") + waits(14, "m"), nil},
		"sent before it was read":         {sent(1, "b", "dedup", "1", "m") + halted("stop", 12, 13, "accepted") + waits(21, "m"), nil},
		"stopped, and never called":       {send(1, 2, "b", "dedup", "1", "m") + halted("stop", 12, 13, "unknown") + final("m", "FAILED", "recipient_opted_out"), nil},
		"unknown, and not repeated":       {send(1, 2, "b", "dedup", "1", "m") + halted("stop", 12, 13, "accepted") + final("m", "FAILED", "outcome_unknown"), nil},
		"stopped by no one":               {send(1, 2, "b", "dedup", "1", "m") + halted("stop", 12, 13, "refused") + final("m", "FAILED", "recipient_opted_out"), []history.Rule{history.RuleLost}},
		"suspended, waited, and sent":     {sent(1, "b", "dedup", "1", "m") + halted("suspend", 12, 13, "accepted") + waits(14, "m") + halted("resume", 22, 23, "accepted"), []history.Rule{history.RuleSuspended}},
		"suspended for good, and sent":    {sent(1, "b", "dedup", "1", "m") + halted("resume", 3, 11, "accepted") + halted("suspend", 12, 13, "accepted") + waits(14, "m"), []history.Rule{history.RuleSuspended}},
		"suspended, and sent later":       {sent(1, "b", "dedup", "1", "m") + halted("suspend", 12, 13, "accepted") + waits(14, "m") + halted("resume", 20, 23, "accepted"), nil},
		"suspended, perhaps not anymore":  {sent(1, "b", "dedup", "1", "m") + halted("suspend", 12, 13, "accepted") + waits(14, "m") + halted("resume", 17, 18, "unknown") + halted("resume", 30, 31, "accepted"), nil},
		"suspended and resumed meanwhile": {sent(1, "b", "dedup", "1", "m") + halted("resume", 11, 12, "accepted") + halted("suspend", 12, 13, "accepted") + waits(14, "m"), nil},
		"suspended again, and sent":       {sent(1, "b", "dedup", "1", "m") + halted("suspend", 2, 3, "accepted") + halted("resume", 4, 5, "accepted") + halted("suspend", 12, 13, "accepted") + waits(14, "m"), []history.Rule{history.RuleSuspended}},
		"suspended, and in progress":      {sent(1, "b", "dedup", "1", "m") + halted("suspend", 12, 13, "accepted"), nil},
		"suspended without an answer":     {sent(1, "b", "dedup", "1", "m") + halted("suspend", 12, 13, "unknown") + waits(14, "m"), nil},
		"another account was suspended":   {sent(1, "limited", "dedup", "1", "m") + halted("suspend", 12, 13, "accepted") + waits(14, "m"), nil},

		"too fast at once":                      {calls(4, 1), []history.Rule{history.RulePace}},
		"too fast for long":                     {calls(100, 90_000), []history.Rule{history.RulePace}},
		"too fast after a pause":                {calls(10, 100_000) + callsFrom(9_000_000, 4, 1), []history.Rule{history.RulePace}},
		"as fast as allowed":                    {calls(3, 1), nil},
		"as fast as allowed for long":           {calls(100, 100_000), nil},
		"the recorder stood still for a moment": {event(`{"kind":"stall","begin":0,"end":1100}`) + calls(4, 1), []history.Rule{history.RulePace}},
		"the recorder stood still":              {event(`{"kind":"stall","begin":0,"end":500000}`) + callsFrom(400_000, 4, 1), nil},
		"no pace":                               {strings.ReplaceAll(calls(100, 1), "paced", "dedup"), nil},

		"two owners":                      {turns(7, 500_000, "0", "1"), []history.Rule{history.RuleOwner}},
		"three owners":                    {turns(9, 500_000, "0", "1", "2"), []history.Rule{history.RuleOwner}},
		"two owners for a moment":         {turns(7, 300_000, "0", "1"), nil},
		"two owners, a few calls":         {turns(5, 1_000_000, "0", "1"), nil},
		"owners one after another":        {turns(9, 6_000_000, "0", "1"), nil},
		"calls that a node had begun":     {turns(20, 1000, "0", "1") + turnsFrom(100_000, 20, 500_000, "1"), nil},
		"two owners of different senders": {strings.NewReplacer(`"plain"`, `"dedup"`, `"s-plain"`, `"s-dedup"`).Replace(turns(9, 500_000, "0")) + turnsFrom(251_000, 9, 500_000, "1"), nil},

		"used too little":          {sent(1, "b", "dedup", "1", "m") + used("b", 0), []history.Rule{history.RuleQuota}},
		"used too much":            {sent(1, "b", "dedup", "1", "m") + used("b", 2), []history.Rule{history.RuleQuota}},
		"not given back":           {send(1, 2, "b", "dedup", "1", "m") + call(5, "dedup", "m", "refused") + final("m", "FAILED", "x") + used("b", 1), []history.Rule{history.RuleQuota}},
		"beyond the limit":         {sent(1, "limited", "dedup", "1", "m") + sent(100, "limited", "dedup", "2", "n") + sent(200, "limited", "dedup", "3", "o") + used("limited", 3), []history.Rule{history.RuleQuota}},
		"refused too early":        {sent(1, "limited", "dedup", "1", "m") + refusedSend + used("limited", 1), []history.Rule{history.RuleQuota}},
		"refused at the limit":     {sent(1, "limited", "dedup", "1", "m") + sent(100, "limited", "dedup", "2", "n") + refusedSend + used("limited", 2), nil},
		"refused, then given back": {sent(1, "limited", "dedup", "1", "m") + send(1, 2, "limited", "dedup", "2", "n") + call(5, "dedup", "n", "refused") + final("n", "FAILED", "x") + refusedSend + used("limited", 1), nil},
		"given back":               {send(1, 2, "b", "dedup", "1", "m") + call(5, "dedup", "m", "refused") + final("m", "FAILED", "x") + used("b", 0), nil},
		"an unknown outcome kept":  {send(1, 2, "b", "plain", "1", "m") + final("m", "FAILED", "outcome_unknown") + used("b", 1), nil},
		"stored without an answer": {noAnswer + used("b", 1), nil},
		"not stored, no answer":    {noAnswer + used("b", 0), nil},
		"no answer, used twice":    {noAnswer + noAnswer + used("b", 2), []history.Rule{history.RuleQuota}},

		"behind its receipt":         {sent(1, "b", "dedup", "1", "m") + event(`{"kind":"receipt","begin":5,"end":6,"message":"m","status":"DELIVERED","result":"accepted"}`), []history.Rule{history.RuleBackwards}},
		"a receipt was refused":      {sent(1, "b", "dedup", "1", "m") + event(`{"kind":"receipt","begin":5,"end":6,"message":"m","status":"DELIVERED","result":"refused"}`), nil},
		"further than its receipt":   {send(1, 2, "b", "dedup", "1", "m") + call(5, "dedup", "m", "accepted") + final("m", "READ", "") + event(`{"kind":"receipt","begin":5,"end":6,"message":"m","status":"DELIVERED","result":"accepted"}`), nil},
		"a receipt of no one's call": {event(`{"kind":"receipt","begin":5,"end":6,"message":"m","status":"DELIVERED","result":"accepted"}`), nil},

		"no event":                {sent(1, "a", "dedup", "1", "m"), []history.Rule{history.RuleEvent}},
		"an event of the step":    {sent(1, "a", "dedup", "1", "m") + webhook("e1", "m", "SENT", "x"), nil},
		"an event twice":          {sent(1, "a", "dedup", "1", "m") + webhook("e1", "m", "SENT", "x") + webhook("e1", "m", "SENT", "x"), nil},
		"an event of an old step": {strings.ReplaceAll(sent(1, "a", "dedup", "1", "m"), `"SENT"`, `"DELIVERED"`) + webhook("e1", "m", "SENT", "x"), []history.Rule{history.RuleEvent}},
		"a step under two ids":    {sent(1, "a", "dedup", "1", "m") + webhook("e1", "m", "SENT", "x") + webhook("e2", "m", "SENT", "y"), []history.Rule{history.RuleEvent}},
		"an id with two bodies":   {sent(1, "a", "dedup", "1", "m") + webhook("e1", "m", "SENT", "x") + webhook("e1", "m", "SENT", "y"), []history.Rule{history.RuleEvent}},
		"without an endpoint":     {sent(1, "b", "dedup", "1", "m"), nil},

		"failed, and not at the phone":  {send(1, 2, "b", "linked", "1", "m") + final("m", "FAILED", "number_banned"), nil},
		"unknown, and not at the phone": {send(1, 2, "b", "linked", "1", "m") + final("m", "FAILED", "outcome_unknown"), nil},
		"sent, and not at the phone":    {send(1, 2, "b", "linked", "1", "m") + final("m", "SENT", ""), []history.Rule{history.RuleLost}},
		"failed, and at the phone":      {send(1, 2, "b", "linked", "1", "m") + call(5, "linked", "m", "accepted") + final("m", "FAILED", "number_banned"), []history.Rule{history.RuleUntrue}},
		"at the phone twice":            {sent(1, "b", "linked", "1", "m") + event(`{"kind":"call","begin":50,"end":51,"gateway":"linked","reference":"m-1","message":"m","result":"accepted"}`), []history.Rule{history.RuleDoubled}},
		"at the phone again":            {sent(1, "b", "linked", "1", "m") + call(50, "linked", "m", "accepted"), nil},

		"in the inbox":                       {written(1, "x", "accepted") + stored("x", 1) + received("e", "x"), nil},
		"in the inbox, although it was lost": {written(1, "x", "unknown") + stored("x", 1) + received("e", "x") + received("e", "x"), nil},
		"lost, and not in the inbox":         {written(1, "x", "unknown"), nil},
		"not in the inbox":                   {written(1, "x", "accepted"), []history.Rule{history.RuleLost}},
		"in the inbox, and no event":         {written(1, "x", "accepted") + stored("x", 1), []history.Rule{history.RuleLost}},
		"in the inbox twice":                 {written(1, "x", "accepted") + stored("x", 1) + stored("x", 2) + received("e", "x"), []history.Rule{history.RuleDoubled}},
		"two events":                         {written(1, "x", "accepted") + stored("x", 1) + received("e", "x") + received("f", "x"), []history.Rule{history.RuleDoubled}},
		"an event of another message":        {written(1, "x", "accepted") + stored("x", 1) + strings.ReplaceAll(received("e", "x"), `"in_x"`, `"in_y"`), []history.Rule{history.RuleDoubled}},
		"written by no one":                  {stored("x", 1) + received("e", "x"), []history.Rule{history.RuleInvented}},
		"in order":                           {pair + stored("x", 1) + stored("y", 2), nil},
		"out of order":                       {pair + stored("y", 1) + stored("x", 2), []history.Rule{history.RuleOrder}},
		"out of order, to two senders":       {pair + stored("y", 1) + strings.ReplaceAll(stored("x", 2), `"s"`, `"t"`), nil},
		"out of order, from two people":      {pair + stored("y", 1) + strings.ReplaceAll(stored("x", 2), `"1"`, `"2"`), nil},
		"out of order, and overlapping":      {strings.ReplaceAll(pair, `"end":2`, `"end":9`) + stored("y", 1) + stored("x", 2), nil},

		"a code twice":                       {strings.Repeat(event(`{"kind":"redeem","begin":1,"end":2,"code":"c","result":"accepted"}`), 2), []history.Rule{history.RuleCode}},
		"a code once":                        {event(`{"kind":"redeem","begin":1,"end":2,"code":"c","result":"accepted"}`) + event(`{"kind":"redeem","begin":1,"end":2,"code":"c","result":"refused"}`) + event(`{"kind":"redeem","begin":1,"end":2,"code":"c","result":"unknown"}`), nil},
		"two codes":                          {event(`{"kind":"redeem","begin":1,"end":2,"code":"c","result":"accepted"}`) + event(`{"kind":"redeem","begin":1,"end":2,"code":"d","result":"accepted"}`), nil},
		"behind, and known by an unknown id": {send(1, 2, "b", "plain", "1", "m") + call(5, "plain", "m", "unknown") + final("m", "FAILED", "outcome_unknown") + event(`{"kind":"receipt","begin":5,"end":6,"message":"m","status":"DELIVERED","result":"accepted"}`), nil},
		"behind, and known by its reference": {send(1, 2, "b", "plain", "1", "m") + call(5, "plain", "m", "unknown") + final("m", "FAILED", "outcome_unknown") + event(`{"kind":"receipt","begin":5,"end":6,"message":"m","reference":"m","status":"DELIVERED","result":"accepted"}`), []history.Rule{history.RuleBackwards}},
		"pending on another node":            {event(`{"kind":"poll","begin":1,"end":2,"login":"l","node":"0","status":"VERIFIED"}`) + event(`{"kind":"poll","begin":1000002,"end":1000003,"login":"l","node":"1","status":"PENDING"}`), nil},
		"pending for too long":               {event(`{"kind":"poll","begin":1,"end":2,"login":"l","node":"0","status":"VERIFIED"}`) + event(`{"kind":"poll","begin":1000003,"end":1000004,"login":"l","node":"1","status":"PENDING"}`), []history.Rule{history.RuleLogin}},
		"pending again":                      {event(`{"kind":"poll","begin":1,"end":2,"login":"l","status":"VERIFIED"}`) + event(`{"kind":"poll","begin":3,"end":4,"login":"l","status":"PENDING"}`), []history.Rule{history.RuleLogin}},
		"pending meanwhile":                  {event(`{"kind":"poll","begin":1,"end":3,"login":"l","status":"VERIFIED"}`) + event(`{"kind":"poll","begin":3,"end":4,"login":"l","status":"PENDING"}`), nil},
		"pending, another login":             {event(`{"kind":"poll","begin":1,"end":2,"login":"l","status":"VERIFIED"}`) + event(`{"kind":"poll","begin":3,"end":4,"login":"n","status":"PENDING"}`), nil},
		"pending, then verified":             {event(`{"kind":"poll","begin":1,"end":2,"login":"l","status":"PENDING"}`) + event(`{"kind":"poll","begin":3,"end":4,"login":"l","status":"VERIFIED"}`), nil},
		"used after a second":                {event(`{"kind":"revoke","begin":1,"end":2,"token":"t","result":"accepted"}`) + event(`{"kind":"use","begin":1000003,"end":1000004,"token":"t","result":"accepted"}`), []history.Rule{history.RuleRevocation}},
		"used within a second":               {event(`{"kind":"revoke","begin":1,"end":2,"token":"t","result":"accepted"}`) + event(`{"kind":"use","begin":1000002,"end":1000004,"token":"t","result":"accepted"}`), nil},
		"used, and refused":                  {event(`{"kind":"revoke","begin":1,"end":2,"token":"t","result":"accepted"}`) + event(`{"kind":"use","begin":1000003,"end":1000004,"token":"t","result":"refused"}`), nil},
		"used, revocation unknown":           {event(`{"kind":"revoke","begin":1,"end":2,"token":"t","result":"unknown"}`) + event(`{"kind":"use","begin":1000003,"end":1000004,"token":"t","result":"accepted"}`), nil},
		"used within its own time":           {event(`{"kind":"revoke","begin":1,"end":2,"token":"t","result":"accepted","within":2000000}`) + event(`{"kind":"use","begin":1000003,"end":1000004,"token":"t","result":"accepted"}`), nil},
		"used after its own time":            {event(`{"kind":"revoke","begin":1,"end":2,"token":"t","result":"accepted","within":2000000}`) + event(`{"kind":"use","begin":2000003,"end":2000004,"token":"t","result":"accepted"}`), []history.Rule{history.RuleRevocation}},
		"ended too early":                    {event(`{"kind":"undrained","begin":1,"end":1,"status":"3 messages are under way"}`), []history.Rule{history.RuleDrain}},
		"faults alone":                       {event(`{"kind":"fault","begin":1,"end":2,"node":"0","status":"kill"}`), nil},
	} {
		t.Run(name, func(t *testing.T) {
			h, err := history.Parse(strings.NewReader(strings.TrimSpace(world) + "\n" + tt.history))
			if err != nil {
				t.Fatal(err)
			}
			var got []history.Rule
			for _, f := range history.Check(h) {
				if got = append(got, f.Rule); len(f.Lines) == 0 || f.Text == "" {
					t.Errorf("%v says nothing", f)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("found %v, want %v", history.Check(h), tt.want)
			}
		})
	}
}

func TestFinding_NamesItsLines(t *testing.T) {
	h, err := history.Parse(strings.NewReader(strings.Repeat(event(`{"kind":"redeem","begin":1,"end":2,"code":"c","result":"accepted"}`), 2)))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(history.Check(h)), "[code: the code c was exchanged twice (lines 1,2)]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
