package fakewhatsapp

import (
	"context"
	"encoding/base64"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"go.mau.fi/util/random"
	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/util/keys"
)

// Server is a WhatsApp server on a local port.
type Server struct {
	// Addr is the server's host and port.
	Addr string

	static *keys.KeyPair
	chain  []byte
	http   *http.Server

	mu      sync.Mutex
	users   map[string]*user // by phone number
	byLID   map[string]*user
	other   map[string]*user // by another spelling of the phone number
	lookups map[string]int   // number of lookups of a phone number
	pending map[string]*conn // connections that offer a QR code, by ref
	codes   map[string]*codePairing
	groups  map[string]*Group
	media   map[string][]byte
	seen    map[string]int  // number of times that a client has sent a message ID
	taken   map[string]bool // message IDs that were accepted
	faults  Faults
	joined  []time.Time // times at which connections were accepted
	conns   map[*conn]bool
}

// Group is a WhatsApp group. Its members are phone numbers.
type Group struct {
	ID, Name string
	Members  []string
	Admins   map[string]bool
}

type user struct {
	phone, lid string
	account    *keys.KeyPair
	devices    map[uint16]*device
	knownTo    map[*user]bool   // people who have asked for the devices
	fates      map[string]noted // of the stanzas for its devices, by tag and ID
	next       uint16
	passkey    string
	hosted     bool   // a service of Meta stores the messages
	token      []byte // proves that the person has written to somebody
	salt       *Salt
	address    Address
	garbled    bool    // the next message is
	withheld   *string // the next message is not given to linked devices, and this is its type
}

// Address is the way in which a person's messages identify them.
type Address int

// The zero value is the ID with the number.
const (
	ByBoth   Address = iota
	ByID             // the number is hidden
	ByNumber         // the ID is missing, as before LIDs
)

// Identify sets how a person's messages identify them from now on.
func (s *Server) Identify(phone string, a Address) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users[phone].address = a
}

// Garble makes the next message of a person undecryptable.
func (s *Server) Garble(phone string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users[phone].garbled = true
}

// Withhold makes the next message of a person unavailable to linked devices. kind can be view_once or empty.
func (s *Server) Withhold(phone, kind string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users[phone].withheld = &kind
}

// root signs the certificates of all servers of a process, because whatsmeow's trusted key is a single variable.
var root = sync.OnceValue(keys.NewKeyPair)

// Root returns the key that signs the servers' certificates.
func Root() [32]byte { return *root().Pub }

var trust = sync.OnceFunc(func() { whatsmeow.WACertPubKey = Root() })

// New starts a server on a free local port. All clients in this process trust it afterward.
func New() (*Server, error) {
	trust()
	s := &Server{
		static: keys.NewKeyPair(), users: map[string]*user{}, byLID: map[string]*user{}, other: map[string]*user{}, lookups: map[string]int{}, pending: map[string]*conn{}, codes: map[string]*codePairing{},
		groups: map[string]*Group{}, media: map[string][]byte{}, seen: map[string]int{}, taken: map[string]bool{}, conns: map[*conn]bool{},
	}
	if err := s.certify(); err != nil {
		return nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s.Addr = listener.Addr().String()
	mux := http.NewServeMux()
	mux.HandleFunc("/ws/chat", s.chat)
	mux.HandleFunc("/mms/", s.upload)
	mux.HandleFunc("/v/", s.download)
	s.http = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.http.Serve(listener) }()
	return s, nil
}

// Close ends the server and its connections.
func (s *Server) Close() {
	_ = s.http.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		_ = c.ws.CloseNow()
	}
}

// AddUser adds a person with a phone number and WhatsApp's internal ID.
func (s *Server) AddUser(phone, lid string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := &user{phone: phone, lid: lid, account: keys.NewKeyPair(), devices: map[uint16]*device{}, knownTo: map[*user]bool{}, fates: map[string]noted{}, next: 1, token: random.Bytes(16)}
	s.users[phone], s.byLID[lid] = u, u
}

// AddSpelling adds a second number of a person. WhatsApp finds the person by it and responds with the first number.
func (s *Server) AddSpelling(phone, spelling string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.other[spelling] = s.users[phone]
}

// Host makes a service of Meta store a person's messages, so responses to lookups have the hosted form of the addresses.
func (s *Server) Host(phone string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users[phone].hosted = true
}

// id returns the address with the internal ID.
func (u *user) id() types.JID {
	if u.hosted {
		return types.NewJID(u.lid, types.HostedLIDServer)
	}
	return types.NewJID(u.lid, types.HiddenUserServer)
}

// number returns the address with the phone number.
func (u *user) number() types.JID {
	if u.hosted {
		return types.NewJID(u.phone, types.HostedServer)
	}
	return types.NewJID(u.phone, types.DefaultUserServer)
}

// AddGroup adds a group.
func (s *Server) AddGroup(g Group) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.groups[g.ID] = &g
}

// Seen returns the number of times that a client has sent a message with this ID.
func (s *Server) Seen(id string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen[id]
}

// Lookups returns how often clients have looked up a phone number and were not refused.
func (s *Server) Lookups(number string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lookups[number]
}

// Online returns the number of connections of a phone number's devices.
func (s *Server) Online(phone string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	if u := s.users[phone]; u != nil {
		for _, d := range u.devices {
			if d.conn != nil {
				n++
			}
		}
	}
	return n
}

// Connects returns the times at which connections were accepted, oldest first.
func (s *Server) Connects() []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]time.Time(nil), s.joined...)
}

// HTTPClient returns a client that sends all requests to the server at addr without TLS, regardless of the host in the URL.
func HTTPClient(addr string) *http.Client {
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, addr)
	}
	return &http.Client{Transport: &http.Transport{DialContext: dial, DialTLSContext: dial}}
}

// find returns the user and the device with an address. The caller holds mu.
func (s *Server) find(j types.JID) (*user, *device) {
	u := s.users[j.User]
	if j.Server == types.HiddenUserServer {
		u = s.byLID[j.User]
	}
	if u == nil {
		return nil, nil
	}
	return u, u.devices[j.Device]
}

func unixNow() string { return strconv.FormatInt(time.Now().Unix(), 10) }

func randomID(n int) string { return base64.RawURLEncoding.EncodeToString(random.Bytes(n)) }
