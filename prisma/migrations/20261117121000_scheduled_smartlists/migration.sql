-- The smartlist of a scheduled message is read when it is sent: then the list of its expansion is not empty any more.
ALTER TABLE message_expansion
  ADD COLUMN phone_column text,
  -- What was charged then, because the list had grown.
  ADD COLUMN growth_kobo bigint NOT NULL DEFAULT 0,
  ADD COLUMN error_message text,
  ADD CONSTRAINT message_expansion_growth_check CHECK (growth_kobo >= 0);
