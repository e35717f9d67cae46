import { type Channel, failedDeliveryStatuses, minRemainingMs, otpStatuses } from '@gangan/contracts';
import type { DeliveryState } from '@gangan/database';

/** What the next step of an OTP depends on. */
export interface OtpProgress {
  readonly status: number;
  /** The time of the database. */
  readonly now: Date;
  readonly placedAt: Date;
  readonly expiresAt: Date;
  /** The channels that are left. */
  readonly fallbackChannels: readonly Channel[];
  /** In seconds. */
  readonly fallbackAfter: number | null;
  readonly isSuspended: boolean;
  /** Oldest first. */
  readonly sends: readonly ProgressOfSend[];
}

interface ProgressOfSend {
  readonly state: DeliveryState;
  readonly placedAt: Date;
  readonly updatedAt: Date | null;
  /** Messaging, which would have sent it by now, is down or late. */
  readonly isOverdue: boolean;
}

export type NextStep =
  | { readonly type: 'none' } // it has ended
  | { readonly type: 'send'; readonly channel: Channel }
  | { readonly type: 'wait'; readonly until: Date; readonly fallbackChannels: readonly Channel[] }
  | { readonly type: 'fail'; readonly at: Date }
  | { readonly type: 'expire' };

/** How often the fallbacks of a suspended organisation are looked at. */
const suspendedDelayMs = 30_000;

const later = (date: Date, ms: number): Date => new Date(date.getTime() + ms);
const earliest = (one: Date, other: Date): Date => (one < other ? one : other);
const isFailed = ({ state }: ProgressOfSend): boolean =>
  failedDeliveryStatuses.some((each) => each === state);
const isDelivered = ({ state }: ProgressOfSend): boolean => state === 'delivered' || state === 'read';

/** Whether too little time is left to read and enter a further message. */
export const isTooLate = ({ now, placedAt, expiresAt }: OtpProgress): boolean =>
  expiresAt.getTime() - now.getTime() <= minRemainingMs(expiresAt.getTime() - placedAt.getTime());

/** When the last of the sends failed, if all of them did and no fallback is left. */
export function failedAt({ sends, fallbackChannels, expiresAt }: OtpProgress): Date | undefined {
  if (fallbackChannels.length > 0 || sends.length === 0 || !sends.every(isFailed)) return undefined;
  const last = sends
    .map(({ updatedAt, placedAt }) => updatedAt ?? placedAt)
    .reduce((a, b) => (a > b ? a : b));
  return last < expiresAt ? last : undefined;
}

/** Decides what happens to an OTP now. Pure: no clock, no database. */
export function nextStep(otp: OtpProgress): NextStep {
  if (otp.status !== otpStatuses.SENT) return { type: 'none' };
  const { now, expiresAt, sends, fallbackChannels } = otp;
  const [channel] = fallbackChannels;
  if (now >= expiresAt || channel === undefined) {
    const at = failedAt(otp);
    if (at) return { type: 'fail', at };
    return now >= expiresAt ? { type: 'expire' } : { type: 'wait', until: expiresAt, fallbackChannels };
  }
  if (sends.some(isDelivered) || isTooLate(otp)) return nextStep({ ...otp, fallbackChannels: [] });
  const dueAt = fallbackDueAt(otp);
  if (now < dueAt) return { type: 'wait', until: earliest(dueAt, expiresAt), fallbackChannels };
  if (!otp.isSuspended) return { type: 'send', channel };
  return { type: 'wait', until: earliest(later(now, suspendedDelayMs), expiresAt), fallbackChannels };
}

/** At once if all sends have failed; otherwise some time after the last send, or from now if no provider has it yet. */
function fallbackDueAt({ sends, now, placedAt, fallbackAfter }: OtpProgress): Date {
  if (sends.every(isFailed)) return now;
  if (sends.at(-1)?.isOverdue) return later(now, (fallbackAfter ?? 0) * 1_000);
  const last = sends.map((send) => send.placedAt).reduce((a, b) => (a > b ? a : b), placedAt);
  return later(last, (fallbackAfter ?? 0) * 1_000);
}
