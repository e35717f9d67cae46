-- What an organisation spends in a day (UTC), per category, beside the balance of its wallet: the lock of the balance
-- protects the counters too. `spent_on` is the day that they count for.
CREATE TYPE "spend_category" AS ENUM ('message', 'otp', 'airtime', 'lookup');

ALTER TABLE "ledger_account"
  ADD COLUMN "spent_on" DATE,
  ADD COLUMN "message_spent_kobo" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "otp_spent_kobo" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "airtime_spent_kobo" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "lookup_spent_kobo" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE ledger_account
  ADD CONSTRAINT ledger_account_spent_check CHECK (
    message_spent_kobo >= 0 AND otp_spent_kobo >= 0 AND airtime_spent_kobo >= 0 AND lookup_spent_kobo >= 0);

-- The day on whose limits a transaction counts: refunds of the same day give back what they refund.
ALTER TABLE "ledger_transaction"
  ADD COLUMN "category" "spend_category",
  ADD COLUMN "spent_on" DATE;

ALTER TABLE "organisation"
  ADD COLUMN "daily_spend_kobo" BIGINT,
  ADD COLUMN "message_daily_spend_kobo" BIGINT,
  ADD COLUMN "airtime_daily_spend_kobo" BIGINT,
  ADD COLUMN "lookup_daily_spend_kobo" BIGINT,
  ADD COLUMN "airtime_daily_spend_per_recipient_kobo" BIGINT,
  ADD COLUMN "airtime_key_cooling_hours" INTEGER,
  ADD COLUMN "otp_daily_tries_per_recipient" INTEGER;
ALTER TABLE organisation
  ADD CONSTRAINT organisation_daily_limits_check CHECK (
    daily_spend_kobo >= 0 AND message_daily_spend_kobo >= 0 AND airtime_daily_spend_kobo >= 0
    AND lookup_daily_spend_kobo >= 0 AND airtime_daily_spend_per_recipient_kobo >= 0
    AND airtime_key_cooling_hours >= 0 AND otp_daily_tries_per_recipient >= 0);

-- The demo organisation has no limits.
UPDATE organisation SET daily_spend_kobo = 0, message_daily_spend_kobo = 0, airtime_daily_spend_kobo = 0,
  lookup_daily_spend_kobo = 0, airtime_daily_spend_per_recipient_kobo = 0, airtime_key_cooling_hours = 0,
  otp_daily_tries_per_recipient = 0
WHERE id = '01900000-0000-7000-8000-000000000002';

-- The counters of ledger_account replace it. The OTPs of today start from what it holds.
UPDATE ledger_account SET spent_on = day, otp_spent_kobo = kobo
FROM otp_spend
WHERE otp_spend.organisation_id = ledger_account.organisation_id AND kind = 'wallet'
  AND day = (clock_timestamp() AT TIME ZONE 'UTC')::date;
