import type { Channel } from '@gangan/contracts';

/** How far an organisation may go; 0 is any distance. */
export interface SendCaps {
  readonly sendsPerRecipient: number;
  readonly sendsPerPrefix: number;
  readonly dailySpendKobo: bigint;
}

/** An OTP that is wanted. */
export interface Order {
  /** Of the OTP, and of its one delivery too: whoever runs the request again meets both. */
  readonly id: string;
  readonly organisationId: string;
  readonly recipient: string;
  readonly recipientGiven: string;
  readonly channel: Channel;
  readonly digest: Buffer;
  readonly maxAttempts: number;
  readonly seconds: number;
  readonly sealedBody: Buffer;
  readonly pages: number;
  readonly kobo: bigint;
  readonly requestId: string;
  readonly createdAt: Date;
  readonly caps: SendCaps;
}

export const isCapped = ({ caps }: Order): boolean =>
  caps.sendsPerRecipient > 0 || caps.sendsPerPrefix > 0 || caps.dailySpendKobo > 0n;

/** All but the last four digits: whoever pumps messages buys numbers by the thousand. */
export const prefixOf = ({ recipient }: Pick<Order, 'recipient'>): string => recipient.slice(0, -4);
