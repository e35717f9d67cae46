-- Counts the sends of OTPs after the first, whose delivery has the id of its OTP.
CREATE INDEX delivery_further_send_idx ON delivery (organisation_id, left(recipient, -4), created_at)
  WHERE otp_id IS NOT NULL AND id <> otp_id;
