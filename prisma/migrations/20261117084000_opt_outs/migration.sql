-- Numbers that must not get promotional messages of an organisation on a channel.
CREATE TYPE opt_out_source AS ENUM ('api', 'import', 'message');

CREATE TABLE opt_out (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisation (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  channel channel NOT NULL,
  phone varchar(16) NOT NULL,
  source opt_out_source NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);

CREATE UNIQUE INDEX opt_out_organisation_id_phone_channel_key ON opt_out (organisation_id, phone, channel);
CREATE INDEX opt_out_organisation_id_id_idx ON opt_out (organisation_id, id);
CREATE INDEX opt_out_organisation_id_channel_id_idx ON opt_out (organisation_id, channel, id);

-- Rows of a smartlist that were left out because the recipient opted out.
ALTER TABLE message_expansion ADD COLUMN opted_out integer NOT NULL DEFAULT 0;
ALTER TABLE message_expansion DROP CONSTRAINT message_expansion_rows_check;
ALTER TABLE message_expansion ADD CONSTRAINT message_expansion_rows_check CHECK (
  rows = recipients + duplicates + without_number + unsendable + unaffordable + opted_out);

ALTER TABLE opt_out ADD CONSTRAINT opt_out_phone_check CHECK (phone ~ '^\+[1-9][0-9]{1,14}$');
