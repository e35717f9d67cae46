import { IsUUID } from 'class-validator';
import type { networks } from '../airtime/networks.js';
import { Required } from '../validation/required.js';
import type { AirtimeCallbackType, MessageCallbackType } from './callback-types.js';

/** A callback whose time has come. The row with this id says where to, what and how often it was tried. */
export class CallbackDue {
  @Required()
  @IsUUID()
  id: string;
}

/** Why it ended as it did: a code for programs, a sentence for people. */
export class CallbackReason {
  code: string;
  message: string;
}

/** What became of a message for one recipient. Neither its text nor a token is ever in it. */
export class MessageReport {
  /** The message, as `POST /sms/send` answered it. */
  id: string;
  /** The message to this one recipient. */
  delivery_id: string;
  channel: 'sms' | 'whatsapp';
  /** As the caller wrote it. */
  recipient: string;
  status: 'sent' | 'delivered' | 'undelivered' | 'failed' | 'expired' | 'rejected';
  reason?: CallbackReason;
  external_ref?: string;
  created_datetime: string;
  updated_datetime: string;
  /** With `message.clicked` only: which link of the text, counted from 1. */
  link?: number;
  clicked_datetime?: string;
}

/** What became of an airtime purchase. */
export class PurchaseReport {
  /** The purchase, as `POST /airtime/buy` answered it. */
  id: string;
  network: (typeof networks)[number];
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
  /** When it happened; the same on every attempt. */
  timestamp: string;
  data: MessageReport;
}

export class AirtimeCallback {
  type: AirtimeCallbackType;
  /** When it happened; the same on every attempt. */
  timestamp: string;
  data: PurchaseReport;
}

/** What is sent to a callback URL. */
export type CallbackBody = MessageCallback | AirtimeCallback;
