-- What the simulator was given for test organisations, for an hour: their tests read the texts that a phone would get.
CREATE TABLE outbox_message (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisation (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  delivery_id uuid NOT NULL,
  channel channel NOT NULL,
  sender varchar(16) NOT NULL,
  recipient varchar(16) NOT NULL,
  outcome varchar(16) NOT NULL,
  sealed_text bytea NOT NULL,
  created_at timestamptz(3) NOT NULL
);

CREATE INDEX outbox_message_organisation_id_id_idx ON outbox_message (organisation_id, id);
CREATE INDEX outbox_message_organisation_id_recipient_id_idx ON outbox_message (organisation_id, recipient, id);
