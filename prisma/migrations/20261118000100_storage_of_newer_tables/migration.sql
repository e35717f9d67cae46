-- As in 20261116002200_storage_settings, for tables that were added later.
-- Large tables whose rows change several times, or are deleted after a while.
ALTER TABLE inbound_request SET (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE incoming_message SET (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE outbox_message SET (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.02);

-- Small tables whose rows change all the time.
ALTER TABLE message_change SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
ALTER TABLE lookup_batch SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
