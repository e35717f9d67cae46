-- Until when quiet hours hold the delivery, and which providers do not take it until then.
ALTER TABLE "delivery"
  ADD COLUMN "quiet_until" TIMESTAMPTZ(3),
  ADD COLUMN "quiet_by" TEXT[];
