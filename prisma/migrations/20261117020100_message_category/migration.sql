-- What a message is for. NULL for messages of earlier versions, which were sent as transactional ones.
ALTER TABLE message
  ADD COLUMN category varchar(16),
  ADD CONSTRAINT message_category_check CHECK (category IN ('transactional', 'promotional')) NOT VALID;

ALTER TABLE message VALIDATE CONSTRAINT message_category_check;

-- The DND list applies to promotional messages. Workers of earlier versions still read `respect_dnd`.
UPDATE organisation SET settings = jsonb_set(settings, '{sms,default_category}', '"promotional"')
WHERE settings -> 'sms' @> '{"respect_dnd": true}';
