-- Which providers will not take the delivery, which ones may have it, and what an operator decided about it.
ALTER TABLE "delivery"
  ADD COLUMN "refused_by" TEXT[],
  ADD COLUMN "unanswered_by" TEXT[],
  ADD COLUMN "resolution" VARCHAR(8),
  ADD CONSTRAINT delivery_resolution_check CHECK (resolution IN ('refund', 'resend', 'keep')) NOT VALID;
