export const messageCallbackTypes = [
  'message.sent',
  'message.delivered',
  'message.undelivered',
  'message.failed',
  'message.expired',
  'message.rejected',
  'message.clicked',
] as const;

export const airtimeCallbackTypes = [
  'airtime.sent',
  'airtime.success',
  'airtime.failed',
  'airtime.error',
  'airtime.duplicate',
] as const;

export type MessageCallbackType = (typeof messageCallbackTypes)[number];
export type AirtimeCallbackType = (typeof airtimeCallbackTypes)[number];
export type CallbackType = MessageCallbackType | AirtimeCallbackType;
