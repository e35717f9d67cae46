-- The limits of spending per day that apply to an organisation without its own, in kobo; 0 means no limit. `pnpm migrate`
-- and `pnpm start` change them; no app may.
CREATE TABLE "money_limit" (
    "name" VARCHAR(32) NOT NULL,
    "kobo" BIGINT NOT NULL CHECK ("kobo" >= 0),

    CONSTRAINT "money_limit_pkey" PRIMARY KEY ("name")
);
INSERT INTO money_limit (name, kobo) VALUES
  ('daily_spend', 500000000), ('message_daily_spend', 0), ('otp_daily_spend', 0), ('airtime_daily_spend', 50000000),
  ('lookup_daily_spend', 0);

-- No released version calls them; prisma/functions/spending has one function per category instead.
DROP FUNCTION IF EXISTS charge_money, reserve_money, post_money, void_money, settle_money;
