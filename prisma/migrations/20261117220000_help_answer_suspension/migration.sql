-- Workers claim answers organisation by organisation: the held rows of a suspended one cost a single lookup.
DROP INDEX help_answer_due_idx;
CREATE INDEX help_answer_due_idx ON help_answer (organisation_id, next_attempt_at) WHERE next_attempt_at IS NOT NULL;
