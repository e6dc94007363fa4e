package showcase

import "fmt"

// person is a customer of the account.
type person struct{ name, number, email string }

var names = []string{
	"Aminata Traoré", "Moussa Diarra", "Fatoumata Coulibaly", "Ibrahim Keïta", "Mariam Sissoko", "Oumar Touré", "Kadiatou Cissé", "Seydou Konaté",
	"Rokia Dembélé", "Boubacar Sidibé", "Assitan Sangaré", "Adama Koné", "Salif Doumbia", "Hawa Camara", "Modibo Maïga", "Djénéba Fofana",
	"Lassana Samaké", "Nana Kouyaté", "Bakary Diallo", "Oumou Ballo", "Grace Mensah", "Kwame Boateng", "Chinedu Okafor", "Ngozi Eze",
	"Awa Ndiaye", "Cheikh Fall", "Sokhna Diop", "Yacouba Ouédraogo", "Rasmata Sawadogo", "Abdoulaye Barry", "Binta Sow", "Koffi Yao",
}

// customers returns the people, always in the same order. None of their numbers is used by a phone of the other demo
// data.
func customers() []person {
	list := make([]person, len(names))
	for i, name := range names {
		list[i] = person{name: name, number: fmt.Sprintf("223763%05d", 41*i+17), email: fmt.Sprintf("client%02d@example.com", i+1)}
	}
	return list
}
