-- What a scheduled message to a smartlist was charged for when it was accepted: so many rows, at these prices.
ALTER TABLE message_expansion
  ADD COLUMN charged_rows integer,
  ADD COLUMN charged_prices jsonb,
  ADD CONSTRAINT message_expansion_charged_rows_check CHECK (charged_rows >= 0);
