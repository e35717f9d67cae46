ALTER TABLE message
  ADD COLUMN send_at timestamptz(3),
  ADD COLUMN paused_at timestamptz(3),
  ADD COLUMN canceled_at timestamptz(3);

-- The validity period of a delivery that waits for a time begins then.
ALTER TABLE delivery ADD COLUMN send_at timestamptz(3);

-- A message whose deliveries are being held, released or ended. Its row is removed when all of them have been.
CREATE TYPE message_action AS ENUM ('pause', 'resume', 'cancel');

CREATE TABLE message_change (
  message_id uuid PRIMARY KEY REFERENCES message (id) ON DELETE CASCADE ON UPDATE CASCADE,
  organisation_id uuid NOT NULL,
  action message_action NOT NULL,
  attempt int NOT NULL DEFAULT 0,
  stalls int NOT NULL DEFAULT 0,
  next_attempt_at timestamptz(3) NOT NULL,
  lease_holder bigint,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE INDEX message_change_next_attempt_at_idx ON message_change (next_attempt_at);
