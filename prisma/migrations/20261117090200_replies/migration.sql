-- The received message that a message replies to. Not a foreign key: either may be removed before the other.
ALTER TABLE message ADD COLUMN reply_to uuid;
-- A reply can go out from the phone number that received the message. The table is not rewritten.
ALTER TABLE message ALTER COLUMN sender TYPE varchar(16);
