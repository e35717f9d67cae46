-- When a provider takes messages again, as its Retry-After said.
ALTER TABLE "provider_health" ADD COLUMN "retry_after" TIMESTAMPTZ(3);
