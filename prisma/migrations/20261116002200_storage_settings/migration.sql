-- Room for the new versions of rows whose updates change no indexed column: they stay in their page (HOT updates),
-- no index is written, and the next reader of the page removes the old version. docs/operations.md has the measurements.
ALTER TABLE ledger_account SET (fillfactor = 50);
ALTER TABLE delivery_attempt SET (fillfactor = 50);
ALTER TABLE idempotency_claim SET (fillfactor = 50);

-- Large tables whose rows change several times: vacuumed and analyzed after 2 % of changes instead of 20 % and 10 %.
-- Dead entries at the beginning of an index of due rows are read by every claim.
ALTER TABLE delivery SET (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE delivery_attempt SET (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE callback SET (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE callback_attempt SET (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE airtime_purchase SET (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE otp SET (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE idempotency_claim SET (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.02);

-- Small tables whose rows change all the time: after 1,000 changes, however many rows there are.
ALTER TABLE ledger_account SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
ALTER TABLE callback_host SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
ALTER TABLE message_expansion SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- Rows that are only added: frozen in small portions instead of in one large vacuum against transaction id wraparound.
ALTER TABLE ledger_transaction SET (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE ledger_entry SET (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
