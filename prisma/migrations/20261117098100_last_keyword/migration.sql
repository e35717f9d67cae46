-- When a number last sent STOP or START to an organisation: messages may be read in another order than they were sent.
CREATE TABLE last_keyword (
  organisation_id uuid NOT NULL REFERENCES organisation (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  phone varchar(16) NOT NULL,
  channel channel NOT NULL,
  sent_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organisation_id, phone, channel)
);

CREATE INDEX last_keyword_sent_at_idx ON last_keyword (sent_at);
