import type { Network } from '../airtime/airtime-bounds.js';

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

/** A code for programs and a message for people. */
export class CallbackReason {
  code: string;
  message: string;
}

/** The status of a message for one recipient. Never contains the text of the message or an OTP token. */
export class MessageReport {
  /** The id that `POST /sms/send` returned. */
  id: string;
  /** The delivery to this recipient. */
  delivery_id: string;
  channel: 'sms' | 'whatsapp';
  /** As the caller wrote it. */
  recipient: string;
  status: 'sent' | 'delivered' | 'undelivered' | 'failed' | 'expired' | 'rejected';
  reason?: CallbackReason;
  external_ref?: string;
  created_datetime: string;
  updated_datetime: string;
  /** Only for `message.clicked`: which link of the text, counted from 1. */
  link?: number;
  clicked_datetime?: string;
}

/** The status of an airtime purchase. */
export class PurchaseReport {
  /** The id that `POST /airtime/buy` returned. */
  id: string;
  network: Network;
  /** In naira. */
  amount: number;
  /** As the caller wrote it. */
  recipient: string;
  status: 'sent' | 'success' | 'failed' | 'error' | 'duplicate';
  refunded: boolean;
  reason?: CallbackReason;
  external_ref?: string;
  created_datetime: string;
  updated_datetime: string;
}

export class MessageCallback {
  type: MessageCallbackType;
  /** Time of the event; the same in every attempt. */
  timestamp: string;
  data: MessageReport;
}

export class AirtimeCallback {
  type: AirtimeCallbackType;
  /** Time of the event; the same in every attempt. */
  timestamp: string;
  data: PurchaseReport;
}

/** The body of a callback. */
export type CallbackBody = MessageCallback | AirtimeCallback;
