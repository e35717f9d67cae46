-- How many claims in a row, with the present one, were neither released nor finished: their workers died.
ALTER TABLE inbound_request ADD COLUMN unfinished_claims integer NOT NULL DEFAULT 0;

CREATE INDEX inbound_request_unfinished_idx ON inbound_request (next_attempt_at)
  WHERE state = 'received' AND unfinished_claims > 0;
