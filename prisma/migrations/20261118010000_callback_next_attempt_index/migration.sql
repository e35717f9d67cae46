-- Four partial indexes of callback have the predicate state = 'pending'. While few callbacks are pending, Postgres takes the
-- smallest one for each statement, and reads it as a whole. In this and the next two migrations, three of them get a
-- predicate of their own, which their statements name: no other index can serve them. The predicates mean the same, because
-- of callback_due_check and callback_end_check, and because 'pending' is the first state.
-- Each is a migration of its own, so that the build blocks only writes, and not for longer than needed.
CREATE INDEX callback_next_attempt_idx ON callback (organisation_id, host, next_attempt_at)
  WHERE next_attempt_at IS NOT NULL;
