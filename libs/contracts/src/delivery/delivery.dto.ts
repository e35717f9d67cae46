export const channels = ['sms', 'whatsapp'] as const;

export type Channel = (typeof channels)[number];

/** The categories of messages. The DND list applies to promotional ones. OTPs are a category of their own. */
export const messageCategories = ['transactional', 'promotional'] as const;

export type MessageCategory = (typeof messageCategories)[number];

/** The text of a delivery; for WhatsApp also the template that the carrier renders. */
export interface DeliveryText {
  readonly text: string;
  readonly template?: {
    readonly name: string;
    readonly language: string;
    /** The values in the order of the carrier. */
    readonly values: readonly string[];
    /** The code that the copy-code button of an authentication template copies. */
    readonly code?: string;
  };
}

/** A chunk is about one second of work for a worker. */
export const maxDeliveriesPerChunk = 100;

/** Due deliveries of one organisation: the one in the event's context. */
export class DeliveriesDue {
  ids: string[];
}

export const failedDeliveryStatuses = ['undelivered', 'expired', 'rejected', 'failed'] as const;

export type FailedDeliveryStatus = (typeof failedDeliveryStatuses)[number];

/** The delivery of an OTP failed for good. */
export class OtpDeliveryEnded {
  otp_id: string;
  delivery_id: string;
  status: FailedDeliveryStatus;
}
