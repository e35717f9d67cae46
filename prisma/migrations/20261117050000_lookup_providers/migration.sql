-- Lookups use providers, which may also report the type of a line and whether it is roaming.
ALTER TYPE provider_domain ADD VALUE 'lookup';

ALTER TABLE live_finding
  ADD COLUMN line_type varchar(16),
  ADD COLUMN roaming boolean;
