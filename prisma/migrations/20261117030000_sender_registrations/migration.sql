-- Whether senders without a registration are refused. Providers that exist keep taking any sender.
ALTER TABLE provider ADD COLUMN registered_senders boolean NOT NULL DEFAULT false;

CREATE TYPE sender_status AS ENUM ('pending', 'approved', 'rejected');

-- Which senders may be used at which providers, and in which form.
CREATE TABLE sender_registration (
  id uuid NOT NULL,
  provider varchar(32) NOT NULL,
  organisation_id uuid,
  sender varchar(11) NOT NULL,
  originator varchar(32),
  status sender_status NOT NULL,
  note varchar(255),
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3),
  CONSTRAINT sender_registration_pkey PRIMARY KEY (id)
);

ALTER TABLE sender_registration
  ADD CONSTRAINT sender_registration_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES organisation (id)
    ON DELETE RESTRICT ON UPDATE CASCADE,
  ADD CONSTRAINT sender_registration_originator_check CHECK (originator <> '');

-- One registration of a sender at a provider, for each organisation and for all.
CREATE UNIQUE INDEX sender_registration_sender_key ON sender_registration (provider, sender, organisation_id)
  NULLS NOT DISTINCT;
CREATE INDEX sender_registration_organisation_id_idx ON sender_registration (organisation_id);
