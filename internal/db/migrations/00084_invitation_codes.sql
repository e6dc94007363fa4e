-- The code in an invitation's e-mail: with the invitation's link it accepts the invitation and signs in.
-- +goose Up
ALTER TABLE member_invitations ADD COLUMN code_mac TEXT NOT NULL DEFAULT '';    -- of the code; '': no e-mail had one, or it was used
ALTER TABLE member_invitations ADD COLUMN code_tries BIGINT NOT NULL DEFAULT 0; -- how often a code was tried

-- +goose Down
ALTER TABLE member_invitations DROP COLUMN code_tries;
ALTER TABLE member_invitations DROP COLUMN code_mac;
