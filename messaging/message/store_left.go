package message

// NeverLeft is a condition on the row m of messages: the message has ended, and no
// gateway has it nor may have it, by any of its ways ([Message.HandedOver]).
const NeverLeft = `m.status IN ('FAILED', 'EXPIRED', 'CANCELED') AND m.sent_at IS NULL AND m.unknown_at IS NULL
 AND (m.left_behind IS NULL OR (m.left_behind NOT LIKE '%"sent":true%' AND m.left_behind NOT LIKE '%"unknown":true%'))`
