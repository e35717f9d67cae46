-- The templates of WhatsApp accounts, as `pnpm admin templates sync` read them.
CREATE TABLE provider_template (
  provider varchar(32) NOT NULL,
  name varchar(512) NOT NULL,
  language varchar(16) NOT NULL,
  status varchar(32) NOT NULL,
  category varchar(32),
  reason varchar(255),
  synced_at timestamptz(3) NOT NULL,
  PRIMARY KEY (provider, name, language)
);
