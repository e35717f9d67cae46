-- `GET /sms` by channel, category and external_ref. A list by channel alone reads one range for each category.
CREATE INDEX message_organisation_id_channel_category_id_idx ON message (organisation_id, channel, category, id);
CREATE INDEX message_external_ref_idx ON message (organisation_id, external_ref, id) WHERE external_ref IS NOT NULL;
