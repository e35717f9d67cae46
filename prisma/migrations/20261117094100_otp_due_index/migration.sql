CREATE INDEX otp_due_idx ON otp (due_at) WHERE due_at IS NOT NULL;
