import { parseNaira } from '@gangan/billing';
import { isSender, parseTimestamp } from '@gangan/contracts';
import { InvalidArgumentError } from 'commander';

/**
 * Takes a limit or a setting back. Commander turns a `null` that a parser gives into an empty text, so the word travels
 * as it is.
 */
export const asConfigured = 'default';

const minuteMs = 60_000;
const unitsMs: Record<string, number> = {
  m: minuteMs,
  h: 60 * minuteMs,
  d: 24 * 60 * minuteMs,
  w: 7 * 24 * 60 * minuteMs,
};
const longestMs = 100 * 365 * 24 * 60 * minuteMs;

/** `90d`, `24h`, `30m`, `2w` or `0`, in milliseconds. */
export function duration(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,9})([mhdw])$/.exec(text) ?? [];
  const ms = text === '0' ? 0 : Number(count) * (unitsMs[unit] ?? NaN);
  if (!(ms <= longestMs)) throw new InvalidArgumentError('Write a time such as 30m, 24h, 90d or 2w.');
  return ms;
}

/** A moment to come: after a duration, or a day or time as people write it, in UTC unless it says otherwise. */
export function moment(text: string): Date {
  const at = /^\d{4}-/.test(text) ? parseTimestamp(text) : new Date(Date.now() + duration(text));
  if (!at) {
    throw new InvalidArgumentError(
      'Write a time such as 90d, or a date such as 2027-01-31 or 2027-01-31T09:30:00+01:00.',
    );
  }
  if (at.getTime() <= Date.now()) throw new InvalidArgumentError('That is in the past.');
  return at;
}

/** Naira in decimals, exactly. */
export function kobo(text: string): bigint {
  const amount = parseNaira(text);
  if (amount === undefined)
    throw new InvalidArgumentError(
      'Write an amount in naira with at most two decimals, such as 1500 or 2.50.',
    );
  return amount;
}

export function atLeastOneKobo(text: string): bigint {
  const amount = kobo(text);
  if (amount <= 0n) throw new InvalidArgumentError('The amount must be more than nothing.');
  return amount;
}

export function notNegative(text: string): bigint {
  const amount = kobo(text);
  if (amount < 0n) throw new InvalidArgumentError('The amount must not be negative.');
  return amount;
}

export const words =
  (most: number) =>
  (text: string): string => {
    const trimmed = text.trim();
    if (trimmed === '' || trimmed.length > most || /[\p{Cc}]/u.test(trimmed)) {
      throw new InvalidArgumentError(`Write 1 to ${most} characters without line breaks.`);
    }
    return trimmed;
  };

export function sender(text: string): string {
  if (!isSender(text))
    throw new InvalidArgumentError(
      'A sender has 1 to 11 printable characters of the GSM-7 alphabet, and does not begin with a space.',
    );
  return text;
}
