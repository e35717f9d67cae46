-- The row of an attempt is written once, with its outcome: it needs no free space for an update in its page.
ALTER TABLE delivery_attempt RESET (fillfactor);
