package tenant

import (
	"context"

	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/internal/phone"
)

// GatewayRefused writes an audit event: a gateway delivered a message to a number, or a receipt of a message, that belongs
// to another gateway. number is the number in the report, if any.
func (s *Store) GatewayRefused(ctx context.Context, gatewayName, number, code string) error {
	return s.recordGateway(ctx, GatewayRefused, gatewayName, number, code)
}

// IDConflict writes an audit event: a gateway reported a WhatsApp ID with a number other than before.
func (s *Store) IDConflict(ctx context.Context, gatewayName, number string) error {
	return s.recordGateway(ctx, IDConflict, gatewayName, number, "id_has_two_numbers")
}

// recordGateway writes an audit event of a gateway, which belongs to no tenant.
func (s *Store) recordGateway(ctx context.Context, typ, gatewayName, number, code string) error {
	now := s.now()
	about, _ := phone.Parse(number)
	e := &Event{ID: id.New(now), Type: typ, At: now, Actor: ActorGateway + gatewayName, ErrorCode: code, Phone: about}
	return s.db.Write(ctx, func(tx *db.Tx) error { return Record(tx, e) })
}
