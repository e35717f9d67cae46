-- Locks those of these deliveries of an organisation that a decision may settle: a provider may have accepted them, they are still
-- charged, and no operator has decided. The condition is that of `isUnanswered` (libs/database), which lists them. Only a message
-- that is not canceled is sent again: the text of an OTP is deleted.
CREATE OR REPLACE FUNCTION lock_unanswered(organisation uuid, deliveries uuid[], decision text)
RETURNS SETOF delivery LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT delivery.* FROM delivery
  WHERE delivery.id = ANY (deliveries) AND delivery.organisation_id = organisation
    AND NOT refunded AND resolution IS NULL AND (
      state = 'submitting' AND lease_holder IS NULL
      OR state = 'expired' AND error_code = 'no_answer'
      OR state = 'undelivered' AND unanswered_by IS NOT NULL
        AND error_code IN ('dnd', 'window_closed', 'provider_unavailable'))
    AND NOT coalesce((
      SELECT otp.status = 2 AND (
        SELECT count(*) = 1 FROM delivery sent WHERE sent.otp_id = otp.id AND sent.otp_id IS NOT NULL)
      FROM otp WHERE otp.id = delivery.otp_id), false)
    AND (decision <> 'resend' OR state = 'submitting' AND (
      SELECT canceled_at IS NULL FROM message WHERE message.id = delivery.message_id))
  ORDER BY delivery.id FOR UPDATE OF delivery
$$;
