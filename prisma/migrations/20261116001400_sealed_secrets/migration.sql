-- Callback secrets are sealed with a key outside the database. Plain ones stay readable until they are sealed.
ALTER TABLE "callback_secret"
  ALTER COLUMN "secret" DROP NOT NULL,
  ADD COLUMN "sealed_secret" BYTEA;
ALTER TABLE callback_secret ADD CONSTRAINT callback_secret_sealed_check CHECK ((secret IS NULL) <> (sealed_secret IS NULL));
