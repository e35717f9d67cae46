-- What a message is for. NULL for messages of earlier versions: they have the default of their organisation.
-- Not validated, because that would read the whole table while nobody can use it.
ALTER TABLE message
  ADD COLUMN category varchar(16),
  ADD CONSTRAINT message_category_check CHECK (category IN ('transactional', 'promotional')) NOT VALID;

-- The DND list applies to promotional messages. Workers of earlier versions still read `respect_dnd`.
UPDATE organisation SET settings = jsonb_set(settings, '{sms,default_category}', '"promotional"')
WHERE settings -> 'sms' @> '{"respect_dnd": true}';
