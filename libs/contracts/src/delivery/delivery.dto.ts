import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsUUID } from 'class-validator';
import { Required } from '../validation/required.js';

/** What a recipient reads, and for WhatsApp the template that the carrier renders instead. */
export interface DeliveryText {
  readonly text: string;
  readonly template?: {
    readonly name: string;
    readonly language: string;
    /** In the carrier's order. */
    readonly values: readonly string[];
  };
}

/** About a second of work for one worker. */
export const maxDeliveriesPerChunk = 100;

/** Deliveries of one organisation, that of the event's context, which wait to be handed to a provider. */
export class DeliveriesDue {
  @Required()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(maxDeliveriesPerChunk)
  @IsUUID(undefined, { each: true })
  ids: string[];
}

export const failedDeliveryStatuses = ['rejected', 'failed', 'undelivered', 'expired'] as const;

export type FailedDeliveryStatus = (typeof failedDeliveryStatuses)[number];

/** An OTP that its recipient will never read. */
export class OtpDeliveryEnded {
  @Required()
  @IsUUID()
  otp_id: string;

  @Required()
  @IsUUID()
  delivery_id: string;

  @Required()
  @IsIn(failedDeliveryStatuses)
  status: FailedDeliveryStatus;
}
