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
CREATE INDEX help_answer_due_idx ON help_answer (next_attempt_at) WHERE next_attempt_at IS NOT NULL;
