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

	"example.com/griot/griot-whatsapp/internal/sessions"
)

// Handler receives the events of a device. With [Config.OwnMessages], it also gets messages and revisions of the owner, which
// are marked as Own. Inbound and Receipt must return nil only after they have stored the event,
// because the device then acknowledges it.
type Handler interface {
	Inbound(ctx context.Context, m Inbound) error
	Receipt(ctx context.Context, r Receipt) error
	Revised(ctx context.Context, r Revision) error
	// Paired stores that WhatsApp has reported which numbers belong to which IDs. After an error, they are reported again.
	Paired(ctx context.Context, pairs []Person) error
	// Unreadable reports that a message has arrived whose content the device doesn't have. may means that it might come:
	// the device has asked the sender and the own phone for it. Inbound then gets the message, with the same ID. Otherwise,
	// WhatsApp doesn't give it to linked devices, which the own phone can still do.
	Unreadable(ctx context.Context, m Inbound, may bool)
	// Withdrawn reports that a message that might have been reported as unreadable is none that a person has written.
	Withdrawn(ctx context.Context, id string) error
	// Dropped counts something that WhatsApp has delivered and that is no message for Griot, by one of the [Reasons].
	Dropped(reason string)
	// Missed reports an event that was not stored, with the error. WhatsApp sends the event again after the device reconnects.
	Missed(err error)
	Changed(c Change)
	// Restricted stores the end of WhatsApp's restriction of the account, for the next start of the process. The zero
	// time means that there is no restriction.
	Restricted(reason string, until time.Time)
}

// Config contains the parts and settings of a device.
type Config struct {
	Number  string
	Store   *wastore.Device
	Handler Handler
	Gate    *Gate
	// HTTP makes the connections, unless it is nil.
	HTTP *http.Client
	// OwnMessages is set if the handler gets what the owner of the number writes to people on other devices.
	OwnMessages bool
	// Restrictions are the stored restrictions: the end time of each, by reason.
	Restrictions map[string]time.Time
	// AckTimeout is the maximum time to wait for the acknowledgment of a message.
	AckTimeout time.Duration
	Log        *slog.Logger
}

// Device is one paired number.
type Device struct {
	config  Config
	client  *whatsmeow.Client
	lids    *lids
	turns   turns
	session *sessions.Guard
	media   *http.Client
	signals chan signal
	nudge   chan struct{}

	// sending is locked for reading by each send, and briefly for writing by Run before it reconnects. Otherwise,
	// whatsmeow would repeat a message of the lost connection on the new one, and the message might be delivered
	// twice.
	sending sync.RWMutex
	turn    chan struct{} // held while one message is being submitted

	mu           sync.Mutex
	ctx          context.Context //nolint:containedctx // the context of Run; whatsmeow's handlers get none
	change       Change
	restrictions map[string]time.Time // end time, by reason
	groups       map[types.JID]time.Time
	spellings    map[string]spelling // by the number as given by the caller
	saltAsked    time.Time           // the last request of the account's salt
}

var identify = sync.OnceFunc(func() {
	wastore.SetOSInfo("Griot", [3]uint32{1, 0, 0})
	wastore.DeviceProps.PlatformType = waCompanionReg.DeviceProps_CHROME.Enum()
	wastore.DeviceProps.RequireFullSync = new(bool)
})

// newClient returns a client that does not log, because whatsmeow's log contains numbers and IDs.
func newClient(store *wastore.Device, h *http.Client) *whatsmeow.Client {
	identify()
	c := whatsmeow.NewClient(store, nil)
	c.EnableAutoReconnect = false // Run reconnects instead
	c.SynchronousAck = true
	c.EnableDecryptedEventBuffer = true
	c.UseRetryMessageStore = true
	c.ManualHistorySyncDownload = true // the gateway does not need the history
	// The own phone is asked for messages that can't be decrypted. With SynchronousAck, whatsmeow does that in any case.
	c.AutomaticMessageRerequestFromPhone = true
	if h != nil {
		c.SetWebsocketHTTPClient(h)
		c.SetPreLoginHTTPClient(h)
		c.SetMediaHTTPClient(h)
	}
	return c
}

// New returns a device that is not connected. Run connects it.
func New(c Config) *Device {
	restrictions := maps.Clone(c.Restrictions)
	if restrictions == nil {
		restrictions = map[string]time.Time{}
	}
	lids := newLIDs(c.Store.LIDs, c.Handler)
	c.Store.LIDs = lids
	d := &Device{
		config: c, lids: lids, session: sessions.New(c.Store), client: newClient(c.Store, c.HTTP), media: mediaClient(c.HTTP), signals: make(chan signal, 64), nudge: make(chan struct{}, 1), turn: make(chan struct{}, 1),
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

// visible returns the state, combined with an active timelock. The caller holds mu.
func (d *Device) visible(now time.Time) Change {
	c := d.change
	if until := d.restrictions[ReachOutTimelock]; c.State == Connected && now.Before(until) {
		c.State, c.Reason, c.Until = Restricted, ReachOutTimelock, until
	}
	return c
}

// restricted returns the remaining time of a restriction, or 0 if there is none.
func (d *Device) restricted(reason string) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return max(time.Until(d.restrictions[reason]), 0)
}

// set changes the state and notifies the handler.
func (d *Device) set(c Change) {
	c.At = time.Now()
	d.mu.Lock()
	before := d.visible(c.At)
	d.change = c
	after := d.visible(c.At)
	d.mu.Unlock()
	d.tell(before, after)
}

// restrict starts a restriction, or ends it if until is the zero time. The change applies immediately, and it is
// stored before it is reported.
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

// Reconnect opens a new connection, so that WhatsApp sends the events again that the handler could not store.
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
