-- Back to the default: a lower fillfactor makes an empty table look larger to the planner, and plans that were made for
-- the empty table then read all of it later.
ALTER TABLE otp RESET (fillfactor);
