import { defineEvent } from '@gangan/protocol';
import { DeliveriesDue, OtpDeliveryEnded } from './delivery.dto.js';

/** One attempt: the delivery's row is the schedule, and whoever finds it overdue takes it up. */
export const deliveriesDue = defineEvent({
  queue: 'delivery',
  name: 'delivery.due',
  event: DeliveriesDue,
  attempts: 1,
});

/** The same in a queue of its own: no campaign ever stands before an OTP. */
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
