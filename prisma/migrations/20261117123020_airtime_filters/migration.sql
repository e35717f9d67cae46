-- `GET /airtime` by recipient, network and external_ref.
CREATE INDEX airtime_purchase_organisation_id_recipient_id_idx ON airtime_purchase (organisation_id, recipient, id);
CREATE INDEX airtime_purchase_organisation_id_network_id_idx ON airtime_purchase (organisation_id, network, id);
CREATE INDEX airtime_purchase_external_ref_idx ON airtime_purchase (organisation_id, external_ref, id)
  WHERE external_ref IS NOT NULL;
