package setup

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"example.com/griot/internal/httpx"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/textfile"
)

// none is the answer for no gateway, mail, or proxy.
const none = "none"

// questions asks one question after the other.
type questions struct {
	in  *bufio.Scanner
	out io.Writer
}

// ask asks until an answer passes the check. An empty answer selects the default.
func (q *questions) ask(text, standard string, check func(string) error) (string, error) {
	for {
		fmt.Fprint(q.out, text)
		if standard != "" {
			fmt.Fprintf(q.out, " [%s]", standard)
		}
		fmt.Fprint(q.out, ": ")
		if !q.in.Scan() {
			fmt.Fprintln(q.out)
			return "", errors.Join(errors.New("there was no input"), q.in.Err())
		}
		answer := strings.TrimSpace(q.in.Text())
		if answer == "" {
			answer = standard
		}
		err := check(answer)
		if err == nil {
			return answer, nil
		}
		fmt.Fprintf(q.out, "  %v\n", err)
	}
}

// Ask asks an operator for the missing answers. settings reads a file with a gateway's settings.
func (a *Answers) Ask(in io.Reader, out io.Writer, kinds []string, settings func(file string) (map[string]any, error)) error {
	q := &questions{bufio.NewScanner(in), out}
	for _, part := range []func(*questions) error{
		a.askNames, a.askDatabase, func(q *questions) error { return a.askGateway(q, kinds, settings) }, a.askMail, a.askProxy,
	} {
		if err := part(q); err != nil {
			return err
		}
	}
	return nil
}

func (a *Answers) askNames(q *questions) (err error) {
	if a.AuthURL == "" {
		if a.AuthURL, err = q.ask("Public address of the login service, such as https://login.example.com", "", checkOrigin); err != nil {
			return err
		}
	}
	if a.APIURL == "" {
		a.APIURL, err = q.ask("Public address of the messaging service, such as https://api.example.com", "", func(s string) error {
			if s == a.AuthURL {
				return errors.New("the two must differ")
			}
			return checkOrigin(s)
		})
	}
	return err
}

func (a *Answers) askDatabase(q *questions) error {
	if a.Database != "" {
		return nil
	}
	answer, err := q.ask("Database: sqlite:PATH, postgres://USER@HOST/NAME, or @FILE with such a URL", a.DefaultDatabase, func(s string) error {
		_, err := DatabaseOf(s)
		return err
	})
	if err == nil {
		a.Database, err = DatabaseOf(answer)
	}
	return err
}

// DatabaseOf returns the address of a database. s is the address, or @FILE with the address in a file.
func DatabaseOf(s string) (string, error) {
	if file, ok := strings.CutPrefix(s, "@"); ok {
		b, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		s = strings.TrimSpace(textfile.Line(string(b)))
	}
	for _, scheme := range []string{"sqlite:", "postgres://", "postgresql://"} {
		if rest, ok := strings.CutPrefix(s, scheme); ok && rest != "" {
			return s, nil
		}
	}
	return "", errors.New("the database must be sqlite:PATH or postgres://USER@HOST/NAME")
}

func (a *Answers) askGateway(q *questions, kinds []string, settings func(string) (map[string]any, error)) (err error) {
	if a.GatewayKind != "" {
		return nil
	}
	kinds = append(slices.Clone(kinds), none)
	if a.GatewayKind, err = q.ask("First gateway: "+strings.Join(kinds, ", "), none, checkOneOf(kinds)); err != nil {
		return err
	}
	switch a.GatewayKind {
	case none:
		a.GatewayKind = ""
		return nil
	case "cloudapi":
		return a.askWhatsApp(q)
	}
	a.GatewayName = a.GatewayKind
	_, err = q.ask("File with its settings (docs/gateways/"+a.GatewayKind+".md)", "", func(file string) (err error) {
		a.GatewaySettings, err = settings(file)
		return err
	})
	return err
}

// askWhatsApp asks for the settings of the Cloud API with one number, which also receives the words of logins.
func (a *Answers) askWhatsApp(q *questions) (err error) {
	a.GatewayName, a.GatewaySettings = "whatsapp", map[string]any{}
	if a.LoginPhoneID, err = q.ask("Phone number ID, as Meta shows it", "", checkGiven); err != nil {
		return err
	}
	var number phone.Number
	a.LoginNumber, err = q.ask("Phone number, such as +22370000099", "", func(s string) error {
		n, err := phone.Read(s)
		if err != nil {
			return fmt.Errorf("the number %w", err)
		}
		number = n
		return nil
	})
	if err != nil {
		return err
	}
	a.LoginNumber = number.E164()
	for _, one := range []struct{ setting, text string }{{"access_token_file", "File with the access token"}, {"app_secret_file", "File with the app secret"}, {"verify_token_file", "File with the verify token of the webhook"}} {
		if a.GatewaySettings[one.setting], err = q.ask(one.text, "", checkFile); err != nil {
			return err
		}
	}
	a.GatewaySettings["phone_numbers"] = []any{map[string]any{"id": a.LoginPhoneID, "number": a.LoginNumber}}
	return nil
}

func (a *Answers) askMail(q *questions) (err error) {
	if a.MailHost != "" {
		return nil
	}
	if a.MailHost, err = q.ask("SMTP server for sign-in codes and email", none, checkGiven); err != nil || a.MailHost == none {
		a.MailHost = ""
		return err
	}
	port, err := q.ask("Port", "587", func(s string) error {
		if n, err := strconv.ParseUint(s, 10, 16); err != nil || n == 0 {
			return errors.New("the port must be a number")
		}
		return nil
	})
	if err != nil {
		return err
	}
	if a.MailPort, err = strconv.Atoi(port); err != nil {
		return err
	}
	if a.MailUsername, err = q.ask("User name", none, checkGiven); err != nil {
		return err
	}
	if a.MailUsername == none {
		a.MailUsername = ""
	} else if a.MailPasswordFile, err = q.ask("File with the password", "", checkFile); err != nil {
		return err
	}
	a.MailFrom, err = q.ask("Sender address of emails", "", func(s string) error {
		if !strings.Contains(s, "@") {
			return errors.New("enter an email address, such as bonjour@example.com")
		}
		return nil
	})
	return err
}

func (a *Answers) askProxy(q *questions) (err error) {
	if a.Proxy == "" {
		a.Proxy, err = q.ask("Proxy in front: "+strings.Join(Proxies(), ", "), Proxies()[0], checkOneOf(Proxies()))
	}
	return err
}

func checkOrigin(s string) error {
	own, err := httpx.ParseOwn(s)
	if err != nil || strings.HasSuffix(s, "/") {
		return errors.New("enter a URL such as https://login.example.com, without a slash at its end")
	}
	if !own.Secure && !own.Loopback() {
		return errors.New("the URL must start with https://, because keys and codes are sent to it")
	}
	return nil
}

func checkGiven(s string) error {
	if s == "" {
		return errors.New("a value is required")
	}
	return nil
}

func checkFile(s string) error {
	info, err := os.Stat(s)
	if err == nil && info.IsDir() {
		return errors.New("this is a directory")
	}
	return err
}

func checkOneOf(all []string) func(string) error {
	return func(s string) error {
		if !slices.Contains(all, s) {
			return errors.New("enter one of " + strings.Join(all, ", "))
		}
		return nil
	}
}
