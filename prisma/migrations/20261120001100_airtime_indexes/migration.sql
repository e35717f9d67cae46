-- Indexes of purchases, in a migration of its own as in 20261120000600_message_indexes.

-- Workers claim pending purchases organisation by organisation: the held ones of a suspended one cost a single lookup.
CREATE INDEX airtime_purchase_pending_idx ON airtime_purchase (organisation_id, next_attempt_at) WHERE state = 'pending';
-- `GET /airtime` by recipient, network and external_ref.
CREATE INDEX airtime_purchase_organisation_id_recipient_id_idx ON airtime_purchase (organisation_id, recipient, id);
CREATE INDEX airtime_purchase_organisation_id_network_id_idx ON airtime_purchase (organisation_id, network, id);
CREATE INDEX airtime_purchase_external_ref_idx ON airtime_purchase (organisation_id, external_ref, id)
  WHERE external_ref IS NOT NULL;
