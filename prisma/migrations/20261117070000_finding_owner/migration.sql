-- What the provider of one organisation reported decides about messages of this organisation only.
ALTER TABLE live_finding ADD COLUMN organisation_id uuid;
