-- Messages and their texts, smartlists that are sent to, and what recipients write back.
-- Constraints of large tables are not validated: all rows are sure to meet them, and reading a table would block it.

-- Messages -----------------------------------------------------------------------------------------------------------

-- Texts may be sealed (SEAL_MESSAGES): then they are in the sealed column instead of the plain one. `category` is what a
-- message is for; NULL for messages of earlier versions, which have the default of their organisation. `reply_to` is the
-- received message that it replies to, with the phone number that received it as its sender; no foreign key, because
-- either may be removed before the other. `change_ids` are the last requests that paused, resumed or canceled it: one that
-- comes again changes nothing.
ALTER TABLE message
  ALTER COLUMN content DROP NOT NULL,
  ALTER COLUMN sender TYPE varchar(16),
  ADD COLUMN sealed_text bytea,
  ADD COLUMN category varchar(16),
  ADD COLUMN reply_to uuid,
  ADD COLUMN send_at timestamptz(3),
  ADD COLUMN paused_at timestamptz(3),
  ADD COLUMN canceled_at timestamptz(3),
  ADD COLUMN change_ids uuid[] NOT NULL DEFAULT '{}',
  ADD CONSTRAINT message_sealed_check
    CHECK ((content IS NULL) <> (sealed_text IS NULL) AND (sealed_text IS NULL OR personalisation IS NULL)) NOT VALID,
  ADD CONSTRAINT message_category_check CHECK (category IN ('transactional', 'promotional')) NOT VALID;

ALTER TABLE tracked_link
  ALTER COLUMN url DROP NOT NULL,
  ADD COLUMN sealed_url bytea,
  ADD CONSTRAINT tracked_link_sealed_check CHECK ((url IS NULL) <> (sealed_url IS NULL)) NOT VALID;

-- A message whose deliveries are being held, released or ended. Its row is removed when all of them have been.
CREATE TYPE message_action AS ENUM ('pause', 'resume', 'cancel');

CREATE TABLE message_change (
  message_id uuid PRIMARY KEY REFERENCES message (id) ON DELETE CASCADE ON UPDATE CASCADE,
  organisation_id uuid NOT NULL,
  action message_action NOT NULL,
  -- A cancellation that waits for a provider. Other changes are carried out before it.
  waits boolean NOT NULL DEFAULT false,
  attempt integer NOT NULL DEFAULT 0,
  stalls integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz(3) NOT NULL,
  lease_holder bigint,
  created_at timestamptz(3) NOT NULL DEFAULT now()
) WITH (
  -- A few rows that change all the time.
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
CREATE INDEX message_change_next_attempt_at_idx ON message_change (next_attempt_at);
CREATE INDEX message_change_waits_next_attempt_at_idx ON message_change (waits, next_attempt_at);

-- Smartlists that are sent to ----------------------------------------------------------------------------------------

-- A message that was canceled before its list was read.
ALTER TYPE expansion_state ADD VALUE 'canceled';

-- The smartlist of a scheduled message is read when it is sent: then the list of its expansion is not empty any more.
ALTER TABLE message_expansion
  ADD COLUMN phone_column text,
  -- What it was charged for when it was accepted: so many rows, at these prices.
  ADD COLUMN charged_rows integer,
  ADD COLUMN charged_prices jsonb,
  -- What was charged when it was sent, because the list had grown.
  ADD COLUMN growth_kobo bigint NOT NULL DEFAULT 0,
  ADD COLUMN error_message text,
  -- Rows that were left out because the recipient opted out.
  ADD COLUMN opted_out integer NOT NULL DEFAULT 0,
  DROP CONSTRAINT message_expansion_rows_check,
  ADD CONSTRAINT message_expansion_rows_check CHECK (
    rows = recipients + duplicates + without_number + unsendable + unaffordable + opted_out),
  ADD CONSTRAINT message_expansion_growth_check CHECK (growth_kobo >= 0),
  ADD CONSTRAINT message_expansion_charged_rows_check CHECK (charged_rows >= 0);
ALTER TABLE message_expansion SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
-- Workers claim organisation by organisation: the held rows of a suspended one cost a single lookup.
DROP INDEX message_expansion_due_idx;
CREATE INDEX message_expansion_due_idx ON message_expansion (organisation_id, next_attempt_at) WHERE state = 'expanding';

-- Opt-outs -----------------------------------------------------------------------------------------------------------

-- Numbers that must not get promotional messages of an organisation on a channel.
CREATE TYPE opt_out_source AS ENUM ('api', 'import', 'message');

CREATE TABLE opt_out (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisation (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  channel channel NOT NULL,
  phone varchar(16) NOT NULL CONSTRAINT opt_out_phone_check CHECK (phone ~ '^\+[1-9][0-9]{1,14}$'),
  source opt_out_source NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE UNIQUE INDEX opt_out_organisation_id_phone_channel_key ON opt_out (organisation_id, phone, channel);
CREATE INDEX opt_out_organisation_id_id_idx ON opt_out (organisation_id, id);
CREATE INDEX opt_out_organisation_id_channel_id_idx ON opt_out (organisation_id, channel, id);

-- When a number last sent STOP or START to an organisation: messages may be read in another order than they were sent.
CREATE TABLE last_keyword (
  organisation_id uuid NOT NULL REFERENCES organisation (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  phone varchar(16) NOT NULL,
  channel channel NOT NULL,
  sent_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organisation_id, phone, channel)
);
CREATE INDEX last_keyword_sent_at_idx ON last_keyword (sent_at);

-- Received messages --------------------------------------------------------------------------------------------------

-- Numbers at which organisations receive messages: E.164, or a short code.
CREATE TABLE inbound_number (
  channel channel NOT NULL,
  number varchar(16) NOT NULL CONSTRAINT inbound_number_number_check CHECK (number ~ '^(\+[1-9][0-9]{1,14}|[0-9]{3,8})$'),
  organisation_id uuid NOT NULL REFERENCES organisation (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  -- The only provider that may bring its messages; NULL: any.
  provider varchar(32),
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (channel, number)
);
CREATE INDEX inbound_number_organisation_id_idx ON inbound_number (organisation_id);

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
) WITH (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.02);
-- A message that a provider sends twice is stored once.
CREATE UNIQUE INDEX incoming_message_provider_provider_reference_key ON incoming_message (provider, provider_reference);
CREATE INDEX incoming_message_organisation_id_id_idx ON incoming_message (organisation_id, id);
CREATE INDEX incoming_message_organisation_id_channel_id_idx ON incoming_message (organisation_id, channel, id);
CREATE INDEX incoming_message_organisation_id_number_id_idx ON incoming_message (organisation_id, number, id);
CREATE INDEX incoming_message_organisation_id_sender_id_idx ON incoming_message (organisation_id, sender, id);

-- Answers to HELP: at most one for each number of an organisation and day. A row is due until its message is stored.
CREATE TABLE help_answer (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisation (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  phone varchar(16) NOT NULL,
  asked_on date NOT NULL,
  channel channel NOT NULL,
  incoming_id uuid NOT NULL,
  attempt integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz(3),
  lease_holder bigint
);
CREATE UNIQUE INDEX help_answer_organisation_id_asked_on_phone_key ON help_answer (organisation_id, asked_on, phone);
-- Workers claim organisation by organisation: the held rows of a suspended one cost a single lookup.
CREATE INDEX help_answer_due_idx ON help_answer (organisation_id, next_attempt_at) WHERE next_attempt_at IS NOT NULL;

-- When somebody last wrote to a WhatsApp number of an organisation. For 24 hours after that, free text can be sent to them.
CREATE TABLE whatsapp_window (
  organisation_id uuid NOT NULL REFERENCES organisation (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  -- The provider of the number that received the message.
  provider varchar(32) NOT NULL,
  -- E.164; empty if WhatsApp hides the phone number of the sender.
  phone varchar(16) NOT NULL CONSTRAINT whatsapp_window_phone_check CHECK (phone ~ '^(\+[1-9][0-9]{1,14})?$'),
  received_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organisation_id, provider, phone)
);
CREATE INDEX whatsapp_window_received_at_idx ON whatsapp_window (received_at);

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
) WITH (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.02);
CREATE INDEX outbox_message_organisation_id_id_idx ON outbox_message (organisation_id, id);
CREATE INDEX outbox_message_organisation_id_recipient_id_idx ON outbox_message (organisation_id, recipient, id);
