-- When somebody last wrote to a WhatsApp number of an organisation. For 24 hours after that, free text can be sent to them.
CREATE TABLE whatsapp_window (
  organisation_id uuid NOT NULL REFERENCES organisation (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  -- The provider of the number that received the message.
  provider varchar(32) NOT NULL,
  -- E.164; empty if WhatsApp hides the phone number of the sender.
  phone varchar(16) NOT NULL,
  received_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organisation_id, provider, phone)
);

CREATE INDEX whatsapp_window_received_at_idx ON whatsapp_window (received_at);
ALTER TABLE whatsapp_window ADD CONSTRAINT whatsapp_window_phone_check CHECK (phone ~ '^(\+[1-9][0-9]{1,14})?$');

-- Since when a provider has brought WhatsApp messages to an organisation. Without them, its windows are not known.
CREATE TABLE whatsapp_receiver (
  organisation_id uuid NOT NULL REFERENCES organisation (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  provider varchar(32) NOT NULL,
  first_received_at timestamptz(3) NOT NULL,
  -- To the hour: it is not updated more often.
  last_received_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organisation_id, provider)
);

CREATE INDEX whatsapp_receiver_last_received_at_idx ON whatsapp_receiver (last_received_at);
