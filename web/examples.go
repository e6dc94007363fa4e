package web

import "time"

// Examples is the data of PageComponents.
type Examples struct {
	Tabs       Tabs
	Alerts     []Alert
	Stats      []Stat
	Chart      Chart
	Rows       []ExampleRow
	Pagination Pagination
	Fields     []Field
	Select     Select
	Badges     []Badge
	Steps      []Step
	Code       Code
	Empty      Empty
}

// ExampleRow is a row of the table.
type ExampleRow struct {
	Address, Text, Channel string
	Status                 Badge
	At                     time.Time
	Segments               int
}

// ComponentExamples returns the arguments of [Pages.ServeApp] for PageComponents, which shows each component once.
func ComponentExamples(now time.Time) (*Shell, Examples) {
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	return exampleShell(now), Examples{
		Tabs: Tabs{Label: "Parts", Items: []Tab{{"?", "All", true}, {"?tab=sent", "Sent", false}, {"?tab=failed", "Failed", false}}},
		Alerts: []Alert{
			{Title: "Sandbox.", Text: "Messages are simulated until you pair a sender.", URL: "#main", Action: "Pair a sender"},
			{Tone: Good, Text: "The invitation is on its way."},
			{Tone: Warn, Title: "Quota.", Text: "80 % of today's messages are used."},
			{Tone: Bad, Title: "The message was not sent.", Text: "The recipient wants no more messages (recipient_opted_out)."},
		},
		Stats: []Stat{
			{Label: "Sent today", Value: "12,480", Note: "8 % more than yesterday", Trend: TrendGood},
			{Label: "Delivered", Value: "98.2 %", Note: "0.4 points less", Trend: TrendBad},
			{Label: "Time to delivery, p95", Value: "3.1 s"},
			{Label: "Fallback to SMS", Value: "2.7 %", Note: "of WhatsApp messages"},
		},
		Chart: exampleChart(),
		Rows: []ExampleRow{
			{"+223 76 00 00 01", "Votre commande est prête, vous pouvez passer la chercher dès maintenant.", "whatsapp", Badge{"READ", Good}, ago(2 * time.Minute), 1},
			{"+223 76 00 00 02", "Your code is ••••••", "sms", Badge{"SENT", Info}, ago(3 * time.Hour), 2},
			{"awa@example.com", "Reçu de paiement", "email", Badge{"FAILED", Bad}, ago(26 * time.Hour), 1},
			{"+223 76 00 00 03", "Rappel de rendez-vous", "whatsapp", Badge{"QUEUED", ""}, ago(40 * 24 * time.Hour), 1},
		},
		Pagination: Pagination{Text: "1–4 of 12,480", OlderURL: "?before=x"},
		Fields: []Field{
			{ID: "to", Name: "to", Label: "Recipient", Type: "tel", Value: "+223 76", Autocomplete: "tel", Required: true, Wrong: "A number has 8 to 15 digits."},
			{ID: "email", Name: "email", Label: "Email address", Type: "email", Autocomplete: "email", Placeholder: "awa@example.com", Hint: "The invitation goes there."},
		},
		Select: Select{ID: "channel", Name: "channel", Label: "Channel", Hint: "Auto chooses a channel that reaches the recipient.", Options: []Option{{"auto", "Auto", true}, {"whatsapp", "WhatsApp", false}, {"sms", "SMS", false}}},
		Badges: []Badge{{"SCHEDULED", ""}, {"SENDING", Info}, {"DELIVERED", Good}, {"EXPIRED", Warn}, {"FAILED", Bad}},
		Steps: []Step{
			{At: ago(130 * time.Second), Title: "Accepted"},
			{At: ago(129 * time.Second), Title: "Submitted to WhatsApp", Text: "Sender +223 70 00 00 01", Tone: Good},
			{At: ago(99 * time.Second), Title: "Not delivered in 30 seconds", Text: "Fell back to SMS", Tone: Warn},
			{At: ago(95 * time.Second), Title: "Delivered by SMS", Tone: Good},
		},
		Code: Code{ID: "snippet", Title: "curl", Text: "curl https://griot.example/api/send \\\n  -H 'X-API-Key: gk_test_…' \\\n  -d '{\"to\":\"+22376000001\",\"message\":\"Bonjour\"}'"},
		Empty: Empty{
			Icon: "message", Title: "No messages yet", Text: "Send your first message with this command, or from the form.", ActionURL: "#main", Action: "Send a message",
			Snippet: &Code{ID: "first", Title: "curl", Text: "curl https://griot.example/api/send -H 'X-API-Key: gk_test_…' -d '{…}'"},
		},
	}
}

func exampleChart() Chart {
	c := Chart{ID: "volume", Title: "Messages, last 30 days", Series: []Series{{Name: "Delivered"}, {Name: "Fallback"}, {Name: "Read"}, {Name: "Failed"}}}
	day := time.Date(2026, 8, 24, 0, 0, 0, 0, time.UTC)
	for i := range 30 {
		c.Columns = append(c.Columns, day.AddDate(0, 0, i).Format("2 Jan"))
		for s, base := range []int{620, 40, 310, 12} {
			c.Series[s].Values = append(c.Series[s].Values, base+base*((i*7+s*3)%11)/14)
		}
	}
	return c
}

func exampleShell(now time.Time) *Shell {
	return &Shell{
		Service: "Messages", Home: "/dev/components", Account: "Boutique Kalabash", Mode: TestMode, LiveURL: "?", TestURL: "?", Person: "awa@example.com", SignOut: "/dev/components", Now: now,
		Accounts: []AccountLink{{"?", "Boutique Kalabash", true}, {"?", "Coopérative des tisserandes de Ségou", false}},
		Nav: []NavGroup{
			{Items: []NavItem{{"/dev/components", "Overview", "home", true, 0}, {"?", "Send", "send", false, 0}, {"?", "Logs", "list", false, 0}, {"?", "Inbox", "inbox", false, 3}, {"?", "Codes", "shield", false, 0}}},
			{Title: "Developers", Items: []NavItem{{"?", "Keys", "key", false, 0}, {"?", "Webhooks", "webhook", false, 0}, {"?", "Senders", "phone", false, 0}}},
			{Title: "Account", Items: []NavItem{{"?", "Team", "people", false, 0}, {"?", "Billing", "card", false, 0}, {"?", "Settings", "settings", false, 0}, {"?", "Activity", "clock", false, 0}}},
		},
	}
}
