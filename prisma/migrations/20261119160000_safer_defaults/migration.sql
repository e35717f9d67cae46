-- What new organisations, keys and endpoints have and existing ones do not: those keep working as before, and
-- `pnpm admin security review` lists them.
ALTER TABLE "organisation"
  ADD COLUMN "restricted_callbacks" BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN "fair_keys" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "api_key" ADD COLUMN "scopes_named" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "callback_endpoint" ADD COLUMN "messages_confirmed" BOOLEAN NOT NULL DEFAULT false;
