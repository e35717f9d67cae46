import { defineEvent } from '@gangan/protocol';
import { DeliveriesDue, OtpDeliveryEnded } from './delivery.dto.js';

/** One attempt: if the event is lost, the sweeper finds the due rows. */
export const deliveriesDue = defineEvent({
  queue: 'delivery',
  name: 'delivery.due',
  event: DeliveriesDue,
  attempts: 1,
});

/** OTPs have a queue of their own, so that a campaign never delays them. */
export const otpDeliveryDue = defineEvent({
  queue: 'delivery-otp',
  name: 'delivery.otp-due',
  event: DeliveriesDue,
  attempts: 1,
});

export const otpDeliveryEnded = defineEvent({
  queue: 'otp',
  name: 'otp.delivery-ended',
  event: OtpDeliveryEnded,
});
