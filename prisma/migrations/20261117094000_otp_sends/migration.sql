-- What a resend or a fallback needs: the sealed token, the channels that are left, and when a worker looks at the OTP.
ALTER TABLE otp
  ADD COLUMN sealed_token bytea,
  ADD COLUMN fallback_channels channel[] NOT NULL DEFAULT '{}',
  ADD COLUMN fallback_after smallint,
  ADD COLUMN due_at timestamptz(3);

-- Also for workers of the version before, which do not know these columns: no token outlives its OTP.
CREATE FUNCTION end_otp() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  NEW.sealed_token := NULL;
  NEW.due_at := NULL;
  RETURN NEW;
END $$;
REVOKE EXECUTE ON FUNCTION end_otp() FROM PUBLIC;

CREATE TRIGGER otp_ended BEFORE UPDATE OF status ON otp FOR EACH ROW
  WHEN (NEW.status <> 1) EXECUTE FUNCTION end_otp();

-- Not validated: all rows are sure to meet them, and reading the whole table would block it.
ALTER TABLE otp
  ADD CONSTRAINT otp_sealed_token_check CHECK (sealed_token IS NULL OR status = 1) NOT VALID,
  ADD CONSTRAINT otp_fallback_check CHECK (
    cardinality(fallback_channels) <= 3 AND (fallback_channels = '{}' OR coalesce(fallback_after, 0) > 0)) NOT VALID;
