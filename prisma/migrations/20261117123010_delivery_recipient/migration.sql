-- `GET /sms` by recipient. A message has a recipient once.
CREATE INDEX delivery_recipient_idx ON delivery (organisation_id, recipient, message_id) WHERE message_id IS NOT NULL;
