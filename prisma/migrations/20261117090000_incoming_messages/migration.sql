-- Numbers at which organisations receive messages: E.164, or a short code.
CREATE TABLE inbound_number (
  channel channel NOT NULL,
  number varchar(16) NOT NULL,
  organisation_id uuid NOT NULL REFERENCES organisation (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  -- The only provider that may bring its messages; NULL: any.
  provider varchar(32),
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (channel, number)
);

CREATE INDEX inbound_number_organisation_id_idx ON inbound_number (organisation_id);
ALTER TABLE inbound_number ADD CONSTRAINT inbound_number_number_check
  CHECK (number ~ '^(\+[1-9][0-9]{1,14}|[0-9]{3,8})$');

-- Messages that organisations received.
CREATE TABLE incoming_message (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisation (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  channel channel NOT NULL,
  number varchar(16) NOT NULL,
  -- The phone number, E.164; otherwise what the provider calls the sender.
  sender varchar(128) NOT NULL,
  type varchar(32) NOT NULL,
  text text,
  -- With SEAL_MESSAGES, instead of `text`.
  sealed_text bytea,
  provider varchar(32) NOT NULL,
  provider_reference varchar(255) NOT NULL,
  -- What the provider says; NULL if it says nothing.
  sent_at timestamptz(3),
  received_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);

-- A message that a provider sends twice is stored once.
CREATE UNIQUE INDEX incoming_message_provider_provider_reference_key ON incoming_message (provider, provider_reference);
CREATE INDEX incoming_message_organisation_id_id_idx ON incoming_message (organisation_id, id);
CREATE INDEX incoming_message_organisation_id_channel_id_idx ON incoming_message (organisation_id, channel, id);
CREATE INDEX incoming_message_organisation_id_number_id_idx ON incoming_message (organisation_id, number, id);
CREATE INDEX incoming_message_organisation_id_sender_id_idx ON incoming_message (organisation_id, sender, id);
