package showcase

import (
	"slices"
	"strings"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/id"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/inbox"
	"example.com/griot/messaging/message"
)

// scripts are conversations. Lines that start with > are the account's.
var scripts = [][]string{
	{"Bonjour, ma commande KB-10214 est-elle partie ?", "> Bonjour ! Oui, elle est partie ce matin. Vous l’aurez demain avant midi.", "Parfait, merci beaucoup 🙏"},
	{"Je peux payer par Orange Money à la livraison ?", "> Bien sûr. Le livreur vous donnera le numéro.", "Merci"},
	{"Hello, do you deliver to Sikasso?", "> Hello! Yes, twice a week, on Tuesdays and Fridays.", "Great, I will order today."},
	{"Le pagne reçu n’est pas de la bonne couleur 😕", "> Nous sommes désolés. Pouvez-vous nous envoyer une photo ?", "[image]", "> Merci. Nous vous l’échangeons : le livreur passe demain.", "D’accord, à demain"},
	{"Bonsoir, vous êtes ouverts le dimanche ?", "> Bonsoir ! Le dimanche, de 9 h à 13 h.", "Super"},
	{"Où en est mon remboursement ?", "> Il a été fait hier. Comptez deux jours pour le voir sur votre compte.", "Bien reçu, merci"},
	{"C’est possible de changer l’adresse de livraison ?", "> Oui, tant que le colis n’est pas parti. Quelle est la nouvelle adresse ?", "Hamdallaye ACI 2000, près de la pharmacie", "> C’est noté."},
	{"Good morning, is the blue basket back in stock?", "> Good morning! It will be on Thursday. Shall we keep one for you?", "Yes please"},
}

// unanswered are the latest conversations, which are unread.
var unanswered = [][]string{
	{"Bonjour, mon colis n’est toujours pas arrivé", "Vous pouvez vérifier ?"},
	{"Avez-vous le grand panier en rouge ?"},
	{"Hi! Can I pick up my order at the shop instead?", "I am in Badalabougou until 5 pm."},
}

// addConversations adds inbound messages and replies: over the days, then those of the latest hours.
func (h *history) addConversations() {
	senders := h.sendersOn(gateway.WhatsApp)
	people := customers()
	for n := range 24 {
		at := h.ago(Days - 2 - n*(Days-3)/24)
		h.addConversation(at, people[n%len(people)], pick(h, senders), scripts[n%len(scripts)])
	}
	for n, lines := range unanswered {
		at := h.o.Now.Add(-time.Duration(n+1)*17*time.Minute - 3*time.Minute)
		h.addConversation(at, people[len(people)-1-n], senders[0], lines)
	}
	if texts := h.sendersOn(gateway.SMS); len(texts) > 0 {
		h.addReceived(h.ago(4), people[len(people)-5], texts[0], "STOP")
	}
}

func (h *history) sendersOn(channel gateway.Channel) []*account.Sender {
	var list []*account.Sender
	for i := range h.o.Account.Senders {
		if s := &h.o.Account.Senders[i]; s.Channel == channel && s.AccountID != "" {
			list = append(list, s)
		}
	}
	return list
}

func (h *history) addConversation(at time.Time, who person, with *account.Sender, lines []string) {
	for _, line := range lines {
		if at.After(h.o.Now) {
			return
		}
		text, answer := strings.CutPrefix(line, "> ")
		if answer {
			h.entries = append(h.entries, entry{at: at.Add(-time.Second), readOf: who.number})
			h.add(h.live, at, &message.Request{
				To: who.number, Channel: gateway.WhatsApp, SenderID: with.ID, Source: message.SourceInbox, Content: message.Content{Text: text},
			}, h.events(at).taken().arrives(100, 90).list)
		} else {
			h.addReceived(at, who, with, text)
		}
		at = at.Add(h.about(25*time.Second, 3*time.Minute))
	}
	if slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, "> ") }) {
		h.entries = append(h.entries, entry{at: at, readOf: who.number})
	}
}

func (h *history) addReceived(at time.Time, who person, to *account.Sender, text string) {
	in := gateway.Inbound{
		ID: "vp_" + id.New(at), Channel: to.Channel, From: who.number, To: to.Address, DisplayName: who.name, Type: gateway.InboundText, Text: text, At: at, Gateway: to.Gateway,
	}
	if text == "[image]" {
		in.Type, in.Text, in.MIMEType = gateway.InboundImage, "", "image/jpeg"
	}
	h.entries = append(h.entries, entry{at: at, received: inbox.NewPast(to, in)})
}
