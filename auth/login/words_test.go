package login_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"griot/auth/login"
)

// refused are words of 4 to 8 letters that nobody shall be asked to send: rude, sinister, of the body, of
// drugs and weapons, of faith and politics, of money and of this service itself; in either language, folded.
const refused = `
abandon abbey abdiquer abolir abortion abrupt absence absent absorb absurd absurde abuse abusif abyssal acarien
accabler accident accuse accuser acerbe acheter acid acquire addict adult affair affreux afraid agacer alarm alarmer
alcohol alcool alien altesse amateur amertume amidon amiral amoral amputer amused anarchie aneantir aneth ange angel
anger angoisse angry annuler anonyme anormal anthem anxiety anxieux aperitif apologie argent armed armee armement
armor arms armure army arracher arrest arret arsenic assassin assault assaut asservir asset asthma asticot atroce
attack attaque attentif avarice aveugle avoine awful awkward baby bachelor bacon bafouer balayer bancaire bank banque
banquier bapteme bare baronne barreau bataille batterie battle beauty becasse beef beer bellboy bellhop beret betray
bible biere biopsie bistouri bitcoin bitter bitume bizarre blade blafard blame blast bleak bless blessant blind
blinder blood bobard body boire bomb bombarde bombe bone booby boring boss bourreau brain brandish brasier brave
breast bridal bride brigade brigand broken brusque brutal buffle bullet bunker burden burglar buse butin butt cadavre
cadet cafard cage calomnie calvaire campaign cancel cannon canon cantique caporal captain captif capture carabine
caravan careme caresser carnage casement cash casino cattle caution cendrier censurer cerner chagrin chant chaos
chapel chapelle chasseur chavirer cheap cherub chest chicken chien chienne child chopine chretien christ chronic
church cider cidre cigar cigare cinnamon citadel citizen citoyen civil client clog cloister clonage clone cloporte
clown cobra cochon cochonne cockatoo cockpit cocoa coconut code cognac cogner colere colonel colonie colonist colony
combat complot conflit congress convoy coran corpse couple coupure cousin couteau crack crainte cranien crapaud crash
crater crazy credit crediter creole cribler crier crime critic croquer cross crossbow crowd crown cruche crucial cruel
crush crypto cupide cure curfew curse cyanure cynique damage danger deacon dead death debile debiter debris debt
decade dechet dechirer decline deesse defaite defaut defense defiler defy demise democrat demolir denial deny deporter
depute deputy deranger derober desastre desobeir despair destroy detester detresse detruire devil devot devotion
diable dieu dinde dindon dirt dirty disagree disease dismiss disorder divin divorce dizzy dogme dompter donjon donkey
dose douleur dragnet drastic drip drogue drug drunk duchess dumb duperie dutch dwarf easter eastern ecraser effacer
effrayer egarer eglise egorger election elitisme embryon emeute emotion empereur emperor empire enemy enforce enlever
ennemi ennuyeux enterrer epidemie epitaphe ermitage erode erosion erreur erupt eruption escape esclave eskimo esprit
esquiver estomac eteindre eternal ethnie ethnique etouffer evasion eveque evil excess exclude exclusif execute
executer exhaust exhumer exile exiler exotic expire expirer explode exploser expose fadaise fade faible faiblir
failure faint faith fall false fascisme fatal fatigue fault faute fautif fear febrile feconder federal felin female
femelle femme femur fermer feroce ferveur fesse fever fiasco fight fire fiscal fiscus fleau flee fletrir foetus foil
folie force fossil foudre fouiller fragile frapper frayeur frelon frenesie fringe frown fugitif fuite fureur furieux
fury fusil garbage gargote gasp gauntlet gendarme general genital germe ghost gifle girl glaive glande glare globule
gloom gluant goat goddess gorge gorilla gorille gospel gossip gothic gratuit grave gravity gremlin grenade grief grit
grogner gronder grue gruger grunt guard guerre guerrier guess guignol guilt gypsy haine halo hanter harceler harem
harpon harsh hasard hate hazard heaven hell hematome hemlock herald hidden hoedown hole hollow holy honte honteux hood
hooker horde hormone hornet horrible horror hospital hostage hostile houleux human hungry hunt hurdle hurler hurry
hurt husband hydromel hymne hypnose icone idiot idle idole ignore ignorer illegal illicite illness imam immune impact
imperial impose imposer impur incarner incendie inconnu ineptie infant infecter inflict infliger inhale inhaler
inhumain inject injecter injure injury injuste inmate inoculer insane insect insulte insulter intact interdit intrigue
inutile invasion invest ironique irradier irriter islam isolate isoler ivre ivresse ivrogne jackpot jalousie jambon
jealous jesus jeton jihad jouissif judas judge juge jugement juif junk junkie jupiter kick kidney kill king kingdom
kinky kiss knee knife knight lacerer lache lady lanceur lawsuit layer lazy leave lecture liar liberty ligoter lingerie
liqueur liquid lizard loan lobster locust lombric lonely lose lost loterie lottery louve lubie lubrique lugubre lung
lust lutter macaque magic magician maid maigre mairie maladie male malefice malheur malice mandate marriage mars
martyr mason masonry massacre matraque maudire maussade mayor mechant meduse menacer mensonge mepris mercy messiah
meurtre meurtrir microbe midnight milice military minister ministre miracle misere misery miss missile mistake moine
moist money monkey monnaie monster monstre moqueur moral morbide morgue morsure mortel mortier morue mosque mosquee
moule mourir mulatto munition murder musulman mutant myth naive naked narquois nasty nation naufrage navy nazi neck
nefaste negation negative neglect negliger negre negrier negro neptune nerve nerveux never nigger noble nocif noirceur
nominee noose noyer nuclear nude nuire nuisible nuque nurse obey oblige obscur obscure odor offenser officier ogive
oppose opprimer oracle organ organe orgasme orgueil orient oriental orifice orphan otage outer outrage outrager pagoda
paien pain panic panique paniquer panty pape parade paria parti party password patrie patrol payer peasant peche
pedale pelage penalty penetrer penible penurie people perdre peril perir perte peuple peur pharaon phobie pieger
pieuvre piglet pigtail pilgrim pill piller piquer pirate pisser piste pistol pistolet pledge plomb pluck plunge pogrom
poignard poison police policier politics poor pope porcin pork potage potence poule poumon poverty praise pray prayer
predire prefet pregnant pretre prey prier priere priest prince prison private proces profane proof prophet prophete
protest psychose puceron pulse punaise punch punir punish punitif putain quarter queen querelle quit quitter quran
rabbin raccoon race racist radical rage ramadan ramper rapace rape rapt rasage ravager raven rebel rebelle redouter
refuse refuser regalien regicide regret reject rejeter religion reprimer reptile requin retire retreat revanche revolt
revolte revulsif rhum rifle rigid riot risible risk ritual rituel rival robber rocket rookie rooster rough royal
royaume rude ruin ruiner rule saboter sabre saccager sacre sacred sacrer sadness saigner saint saisir saloon salope
sanction sanglant sanglier sanglot sangsue sarcasme satan satire satoshi saturer saturn saugrenu sausage sauvage
scalpel scandale scare scatter sceau scelerat sceptre scinder scissors scorpion scrap scream script secret secreter
secte sedatif seduire seigneur semence seminal seminar senat senate senateur senator sentence separer sergent serpent
serrure serum sevir sexe sexuel sexy shadow shaft shallow shame shark sheriff sherpa shield shiver shock shoot shove
shrimp sick sida siege silly singe sinistre sinueux siphon skin skull slab slam slap slave slender slight slim slow
slum slush smoke snack snake sniff sock soldat soldier solve sombre sorcier sorry sottise souffle souffrir souiller
soul soumis spawn spider spike spirit spoil squeeze squire stab staff steal steeple sternum stirrup stomach stop
strike strip struggle stuff stumble stupid subir submit suffer suicide sultan supplice supplier surge surround suspect
swallow swamp swarm swear sword symptom syringe tabac tabou tackle tapette tarder tare tartare taser tattoo taulard
tavern taverne temple tempt terreur terrible terror tetanos tetine thief thigh thorax thought threat throne thug thumb
thunder tibia tired tirelire titan titbit titmouse tobacco toilet token tomb tombe tombeau tomber tongue tooth topple
torche tordre tornado torpille torse torture totem tousser toxic toxin toxine tragic tragique trahir traitre tranchee
trancher trap trash tribe tribunal tribune tribute tricher trick trigger tripler triturer tronc tropic trouble tsar
tuer tumble tumeur tumor tumulte turban tuxedo twist tympan tyran ugly ulcere unable unaware undo unfair unhappy
unlock upset uranium urge urine urne urticant useless usure vacant vacciner vague vaincre valeur vampire vanish vassal
vast vault vaurien vautour vendre venerer venger vengeur venimeux venin venom ventre venture venus verify vermin
vermine verrou verrue vertebre veteran veto vexant vexer viande vicious victim victime victory vidange vierge vilain
viol violence violent vipere virgin virtual virus viseur visqueux vivipare vodka void vomir vomit vorace vote voter
voyou vulgaire vulgar vulture waiter warfare warrior wasp waste weak weapon weasel weird whip whisky whisper wicked
widow wife wine witch wizard wolf woman worry worship worth wound wrath wreath wreck wrestle wrong yearling
`

// alike are words that sound like another one: who hears the words, or reads them out, would write the other.
const alike = `
accept adapt adopt advice advise affect aisle amande amende ancre aout autel auteur balade ballade base beach bear
berry berth birth board boarder border bough boulder brake break bridle brows browse buyer cahot cane canne canvas
canvass carat carrot ceiling celeri cell cellar cellier cense cent center cents cereal cession chaine chair chaire
champ chene chews chili chilly choeur choose choral chord cite clause claws coarse coeur colon color colour compte
comte conte coral council counsel creek crews cruise current cygne cymbal date datte days dear deer desert dessein
dessin dough dual earn effect eight encre except fair fairy faite favor favorite feat feet ferry fete find flan flanc
flavor fleas fleece flour flower foie fois foret foul fourth freeze frieze gait gate genes glaciere golf golfe gray
great grey groan guest hair hall haltere hangar hanger harbor hauteur heal hear heard heel here higher hire hockey
honor hoquet horse hostel hotel houe hour houx humor idol jeune kernel knew knot know knows labor laid lait later
latter lead lesson loose lynx made mail main maire maitre mane manner manor martyre meat medal meddle meet mere metal
meter metre mettle mettre might mince miner minor mints missed morning muscle mussel naval night none overdo packed
pact pail pair palais pale palet palier pallier pane panser passed past paste pate patience patient patients patte
pause paws peace peak peal pear peau pedal penser petal piece plain plainte plane pleas please plinthe plum plumb
poele poids poil poing point pois pole poll porc pores port pose pouce pousse premices presence present profit pull
quarts quartz quiet quite rapper read real reel reign rein reine renne repaire repere resonner rest retch rhyme right
ring rite road roder role roll root rose route rues ruse sachet sail sain sale salle satyre sauce saut scene scent
sealing seam seams seau seems seen sees sein sell sellerie sellier sense serein serf serial serin session shear sheer
shoe shoo sight signe site size slay sleigh soar sole some sore sort sought source staid stair stairs stake stare
statue statut steak steel step steppe storey story style suede suite sundae surf sweat sweet symbol tache tail tale
tante taon taught taut team tear teinter tente theater theatre their there thon threw through thrown thyme tide tight
time tinter tire tirer toad towed trade tribu tribut tyre vain vale vane vapor vary veil vein verre vers vert vingt
voie voir voire voix volatil volatile wail waist wait ware warn wave wear weather week weigh weight whale wheel where
whether which whine whole wood wrapper wrest wretch wring write yoke yolk your
`

func TestWordLists(t *testing.T) {
	banned := map[string]bool{}
	for _, w := range strings.Fields(refused + alike) {
		if banned[w] || login.Fold(w) != w {
			t.Errorf("%q is in the banned list twice, or not folded", w)
		}
		banned[w] = true
	}
	form := regexp.MustCompile(`^[a-z]{4,8}$`)
	for _, name := range []string{"en", "fr"} {
		file, err := os.ReadFile("words/" + name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		words := strings.Split(strings.TrimSuffix(string(file), "\n"), "\n")
		seen := map[string]bool{}
		previous := ""
		for _, word := range words {
			folded := login.Fold(word)
			switch {
			case !form.MatchString(folded):
				t.Errorf("%s: %q has not 4 to 8 letters", name, word)
			case word != norm.NFC.String(strings.ToLower(word)):
				t.Errorf("%s: %q is not in lower case and composed", name, word)
			case seen[folded]:
				t.Errorf("%s: %q is there twice", name, word)
			case banned[folded]:
				t.Errorf("%s: %q is banned", name, word)
			case folded < previous:
				t.Errorf("%s: %q is not in its place", name, word)
			}
			seen[folded], previous = true, folded
		}
		if len(words) != 2048 || len(seen) != 2048 {
			t.Errorf("%s: %d words, %d different", name, len(words), len(seen))
		}
		for word := range seen {
			for _, other := range slips(word) {
				if seen[other] {
					t.Errorf("%s: %q and %q are one slip apart", name, word, other)
				}
			}
		}
	}
}

// slips are what one wrong, missing, extra or swapped letter makes of a word.
func slips(word string) []string {
	var list []string
	for i := range len(word) + 1 {
		for c := 'a'; c <= 'z'; c++ {
			list = append(list, word[:i]+string(c)+word[i:])
			if i < len(word) && rune(word[i]) != c {
				list = append(list, word[:i]+string(c)+word[i+1:])
			}
		}
		if i < len(word) {
			list = append(list, word[:i]+word[i+1:])
		}
		if i+1 < len(word) && word[i] != word[i+1] {
			list = append(list, word[:i]+word[i+1:i+2]+word[i:i+1]+word[i+2:])
		}
	}
	return list
}
