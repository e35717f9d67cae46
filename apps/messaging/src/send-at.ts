import { maxLateMinutes, maxScheduledDays, parseTimestamp } from '@gangan/contracts';
import { fieldError, type FieldError } from '@gangan/protocol';

interface ScheduledMessage {
  readonly sendAt: Date | null;
  readonly createdAt: Date;
}

const maxLateMs = maxLateMinutes * 60_000;
const maxAheadMs = maxScheduledDays * 86_400_000;

/** Whether a message waits for its time. If its `send_at` has passed, it is sent at once. */
export const isScheduled = ({ sendAt, createdAt }: ScheduledMessage): boolean =>
  sendAt !== null && sendAt > createdAt;

/**
 * Reads the `send_at` of a request. A second run of the request decides the same: both compare it with the time of the
 * message's id.
 */
export function readSendAt(
  given: string | undefined,
  createdAt: Date,
): { readonly sendAt: Date | null; readonly faults: readonly FieldError[] } {
  if (given === undefined) return { sendAt: null, faults: [] };
  const sendAt = parseTimestamp(given);
  const refuse = (message: string) => ({
    sendAt: null,
    faults: [fieldError('send_at', `send_at ${message}`, 'date')],
  });
  if (!sendAt) return refuse('must be a time with its offset from UTC, such as 2026-12-01T09:30:00+01:00');
  const aheadMs = sendAt.getTime() - createdAt.getTime();
  if (aheadMs < -maxLateMs)
    return refuse(`is more than ${maxLateMinutes} minutes ago: omit it to send the message at once`);
  if (aheadMs > maxAheadMs)
    return refuse(`is more than ${maxScheduledDays} days ahead: choose an earlier time`);
  return { sendAt, faults: [] };
}
