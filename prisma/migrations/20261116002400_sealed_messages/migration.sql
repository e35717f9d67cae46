-- Texts of messages may be sealed (SEAL_MESSAGES): then they are in the sealed column instead of the plain ones. The
-- constraints hold for new rows; checking the old ones, which are all plain, would lock large tables for long.
ALTER TABLE "message"
  ALTER COLUMN "content" DROP NOT NULL,
  ADD COLUMN "sealed_text" BYTEA;
ALTER TABLE message ADD CONSTRAINT message_sealed_check
  CHECK ((content IS NULL) <> (sealed_text IS NULL) AND (sealed_text IS NULL OR personalisation IS NULL)) NOT VALID;

ALTER TABLE "tracked_link"
  ALTER COLUMN "url" DROP NOT NULL,
  ADD COLUMN "sealed_url" BYTEA;
ALTER TABLE tracked_link ADD CONSTRAINT tracked_link_sealed_check
  CHECK ((url IS NULL) <> (sealed_url IS NULL)) NOT VALID;

ALTER TABLE "idempotency_claim" ADD COLUMN "answer_sealed" BOOLEAN NOT NULL DEFAULT false;
