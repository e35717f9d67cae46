export const smsStatuses = [
  'queued',
  'sent',
  'delivered',
  'undelivered',
  'expired',
  'rejected',
  'failed',
] as const;

/** How far the message to one recipient has come; all but the first two are final. */
export type SmsStatus = (typeof smsStatuses)[number];
