package device

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"sync"
	"time"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waCompanionReg"
	wastore "go.mau.fi/whatsmeow/store"
	"go.mau.fi/whatsmeow/types"
)

// Handler is told what happens to a device. Inbound and Receipt return nil once it is stored: only then it is acknowledged.
type Handler interface {
	Inbound(ctx context.Context, m Inbound) error
	Receipt(ctx context.Context, r Receipt) error
	// Missed is told what was not stored, and why: it comes again when the device connects again.
	Missed(err error)
	Changed(c Change)
	// Restricted stores until when WhatsApp restricts the account, for the next start; the zero time ends it.
	Restricted(reason string, until time.Time)
}

// Config is what a device is made of.
type Config struct {
	Number  string
	Store   *wastore.Device
	Handler Handler
	Gate    *Gate
	// HTTP makes the connections, where it is not nil.
	HTTP *http.Client
	// Restrictions are those that were stored: until when, by reason.
	Restrictions map[string]time.Time
	// AckTimeout is how long a message's acknowledgment is waited for.
	AckTimeout time.Duration
	Log        *slog.Logger
}

// Device is one paired number.
type Device struct {
	config  Config
	client  *whatsmeow.Client
	media   *http.Client
	signals chan signal
	nudge   chan struct{}

	// sending is held by sends, and for a moment by Run before it connects again: whatsmeow repeats on a new connection what
	// it was sending on the one that was lost, and a repeated message might be delivered twice.
	sending sync.RWMutex
	turn    chan struct{} // one message at a time is handed over

	mu           sync.Mutex
	ctx          context.Context //nolint:containedctx // whatsmeow's handlers get none; it is Run's
	change       Change
	restrictions map[string]time.Time // until when, by reason
	groups       map[types.JID]time.Time
	spellings    map[string]spelling // by the number as it was given
}

var identify = sync.OnceFunc(func() {
	wastore.SetOSInfo("Griot", [3]uint32{1, 0, 0})
	wastore.DeviceProps.PlatformType = waCompanionReg.DeviceProps_CHROME.Enum()
	wastore.DeviceProps.RequireFullSync = new(bool)
})

// newClient makes a client that keeps quiet: whatsmeow's log has numbers and ids in it.
func newClient(store *wastore.Device, h *http.Client) *whatsmeow.Client {
	identify()
	c := whatsmeow.NewClient(store, nil)
	c.EnableAutoReconnect = false // Run does it
	c.SynchronousAck = true
	c.EnableDecryptedEventBuffer = true
	c.UseRetryMessageStore = true
	c.ManualHistorySyncDownload = true // the past is nobody's business here
	c.AutomaticMessageRerequestFromPhone = false
	if h != nil {
		c.SetWebsocketHTTPClient(h)
		c.SetPreLoginHTTPClient(h)
		c.SetMediaHTTPClient(h)
	}
	return c
}

// New makes a device that is not connected; Run connects it.
func New(c Config) *Device {
	restrictions := maps.Clone(c.Restrictions)
	if restrictions == nil {
		restrictions = map[string]time.Time{}
	}
	d := &Device{
		config: c, client: newClient(c.Store, c.HTTP), media: mediaClient(c.HTTP), signals: make(chan signal, 64), nudge: make(chan struct{}, 1), turn: make(chan struct{}, 1),
		restrictions: restrictions,
		ctx:          context.Background(), groups: map[types.JID]time.Time{}, spellings: map[string]spelling{}, change: Change{State: Connecting, At: time.Now()},
	}
	d.client.AddEventHandlerWithSuccessStatus(d.handle)
	return d
}

// State returns the connection's state.
func (d *Device) State() Change {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.visible(time.Now())
}

// visible is the state with the timelock laid over it. The caller holds mu.
func (d *Device) visible(now time.Time) Change {
	c := d.change
	if until := d.restrictions[ReachOutTimelock]; c.State == Connected && now.Before(until) {
		c.State, c.Reason, c.Until = Restricted, ReachOutTimelock, until
	}
	return c
}

// restricted returns for how long a restriction still lasts, 0 where there is none.
func (d *Device) restricted(reason string) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return max(time.Until(d.restrictions[reason]), 0)
}

// set changes the state, and tells the handler.
func (d *Device) set(c Change) {
	c.At = time.Now()
	d.mu.Lock()
	before := d.visible(c.At)
	d.change = c
	after := d.visible(c.At)
	d.mu.Unlock()
	d.tell(before, after)
}

// restrict begins a restriction, or ends it with the zero time. It holds at once, and is stored before anybody hears of it.
func (d *Device) restrict(reason string, until time.Time) {
	now := time.Now()
	d.mu.Lock()
	before := d.visible(now)
	d.restrictions[reason] = until
	d.change.At = now
	after := d.visible(now)
	d.mu.Unlock()
	d.config.Handler.Restricted(reason, until)
	d.tell(before, after)
	select {
	case d.signals <- signal{kind: restrictionChanged}:
	default:
	}
}

func (d *Device) tell(before, after Change) {
	if before.State == after.State && before.Until.Equal(after.Until) {
		return
	}
	d.config.Log.Info("the connection has changed", "number", d.config.Number, "state", string(after.State), "reason", after.Reason, "until", after.Until)
	d.config.Handler.Changed(after)
}

// Reconnect begins a new connection: what the handler could not store comes again.
func (d *Device) Reconnect() {
	select {
	case d.nudge <- struct{}{}:
	default:
	}
}

func (d *Device) context() context.Context {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.ctx
}
