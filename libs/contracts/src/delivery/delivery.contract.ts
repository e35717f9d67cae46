import { queueContracts } from '../queue-contracts.js';
import { DeliveriesDue, OtpDeliveryEnded } from './delivery.dto.js';

/** One attempt: if the event is lost, the sweeper finds the due rows. */
const once = { attempts: 1 };

export const deliveriesDue = queueContracts('delivery', 'messaging').event('delivery.due', DeliveriesDue, {
  ...once,
  senders: ['messaging'],
});

/** OTPs have a queue of their own, so that a campaign never delays them. */
export const otpDeliveryDue = queueContracts('delivery-otp', 'messaging').event(
  'delivery.otp-due',
  DeliveriesDue,
  {
    ...once,
    senders: ['otp'],
  },
);

export const otpDeliveryEnded = queueContracts('otp', 'otp').event('otp.delivery-ended', OtpDeliveryEnded, {
  senders: ['messaging'],
});
