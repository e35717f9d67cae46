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

interface CallbackData {
  id: string;
  /** As the caller wrote it. */
  recipient: string;
  /** A code for programs and a message for people. */
  reason?: { code: string; message: string };
  external_ref?: string;
  created_datetime: string;
  updated_datetime: string;
}

/** The status of a message for one recipient. Never contains the text of the message or an OTP token. */
export interface MessageCallbackData extends CallbackData {
  delivery_id: string;
  channel: 'sms' | 'whatsapp';
  status: 'sent' | 'delivered' | 'undelivered' | 'failed' | 'expired' | 'rejected';
  /** Only for `message.clicked`: which link of the text, counted from 1. */
  link?: number;
  clicked_datetime?: string;
}

/** The status of an airtime purchase. */
export interface PurchaseCallbackData extends CallbackData {
  network: Network;
  /** In naira. */
  amount: number;
  product_id?: string;
  status: 'sent' | 'success' | 'failed' | 'error' | 'duplicate';
  refunded: boolean;
}

interface Callback<Type, Data> {
  type: Type;
  /** Time of the event; the same in every attempt. */
  timestamp: string;
  data: Data;
}

export type MessageCallback = Callback<(typeof messageCallbackTypes)[number], MessageCallbackData>;
export type AirtimeCallback = Callback<(typeof airtimeCallbackTypes)[number], PurchaseCallbackData>;
/** The body of a callback. */
export type CallbackBody = MessageCallback | AirtimeCallback;
export type CallbackType = CallbackBody['type'];
