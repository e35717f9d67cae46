import { parseNaira } from '@gangan/billing';
import { isSender, parseTimestamp } from '@gangan/contracts';
import { isIpNetwork, type KeyScope, keyScopes, maxNetworks } from '@gangan/protocol';
import { InvalidArgumentError } from 'commander';

/** Resets a limit or setting. Passed on as text, because commander turns a `null` of a parser into an empty text. */
export const asConfigured = 'default';

const minuteMs = 60_000;
const unitsMs: Record<string, number> = {
  m: minuteMs,
  h: 60 * minuteMs,
  d: 24 * 60 * minuteMs,
  w: 7 * 24 * 60 * minuteMs,
};
const maxMs = 100 * 365 * 24 * 60 * minuteMs;

/** Commander prints the message with the name of the argument. */
export function invalid(message: string): never {
  throw new InvalidArgumentError(message);
}

/** `90d`, `24h`, `30m`, `2w` or `0`, in milliseconds. */
export function duration(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,9})([mhdw])$/.exec(text) ?? [];
  const ms = text === '0' ? 0 : Number(count) * (unitsMs[unit] ?? NaN);
  return ms <= maxMs ? ms : invalid('Use a time such as 30m, 24h, 90d or 2w.');
}

/** A time in the future: a duration from now, or a date or timestamp (UTC by default). */
export function futureTime(text: string): Date {
  const at =
    (/^\d{4}-/.test(text) ? parseTimestamp(text) : new Date(Date.now() + duration(text))) ??
    invalid('Use a time such as 90d, or a date such as 2027-01-31 or 2027-01-31T09:30:00+01:00.');
  return at.getTime() > Date.now() ? at : invalid('That is in the past.');
}

/** A time in the past: a duration ago, or a date or timestamp (UTC by default). */
export function pastTime(text: string): Date {
  const at =
    (/^\d+[mhdw]$/.test(text) ? new Date(Date.now() - duration(text)) : parseTimestamp(text)) ??
    invalid('Use a time ago such as 6h, or a time such as 2026-11-15 or 2026-11-15T09:30:00+01:00.');
  return at.getTime() <= Date.now() ? at : invalid('That is in the future.');
}

/** Less than an hour from now: too early for users of a key or secret to replace it. A minute less, as time passes. */
export const isSoon = (at: Date): boolean => at.getTime() - Date.now() < 59 * minuteMs;

export const kobo = (text: string): bigint =>
  parseNaira(text) ?? invalid('Use an amount in naira with at most two decimals, such as 1500 or 2.50.');

export function atLeastOneKobo(text: string): bigint {
  const amount = kobo(text);
  return amount > 0n ? amount : invalid('The amount must be greater than 0.');
}

export function notNegative(text: string): bigint {
  const amount = kobo(text);
  return amount >= 0n ? amount : invalid('The amount must not be negative.');
}

export const wholeNumber =
  (min: number, max: number, message = `Use a whole number from ${min} to ${max}.`) =>
  (text: string): number => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
    return number >= min && number <= max ? number : invalid(message);
  };

export const singleLine =
  (maxLength: number) =>
  (text: string): string => {
    const trimmed = text.trim();
    const isValid = trimmed !== '' && trimmed.length <= maxLength && !/[\p{Cc}]/u.test(trimmed);
    return isValid ? trimmed : invalid(`Use 1 to ${maxLength} characters without line breaks.`);
  };

/** Characters that are not seen, or that change how others are seen. */
const invisible = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** A name or a note that people compare by eye: in one form of Unicode (NFKC), without invisible characters. */
export const plainText =
  (maxLength: number) =>
  (text: string): string => {
    const plain = text.normalize('NFKC').trim();
    if (invisible.test(plain))
      return invalid('It has invisible characters, such as a zero-width space: type the text again.');
    return singleLine(maxLength)(plain);
  };

export const sender = (text: string): string =>
  isSender(text)
    ? text
    : invalid(
        'A sender has 1 to 11 printable characters of the GSM-7 alphabet and does not start with a space.',
      );

/** Parses `lookup:read,sms`; a domain alone means all its scopes, and `all` alone every scope. */
export function scopes(text: string): KeyScope[] {
  if (text.trim() === 'all') return [...keyScopes];
  const wanted = new Set(text.split(',').flatMap((part) => expandScope(part.trim())));
  return keyScopes.filter((scope) => wanted.has(scope));
}

function expandScope(part: string): readonly KeyScope[] {
  const matching = keyScopes.filter((scope) => scope === part || scope.startsWith(`${part}:`));
  if (part !== '' && matching.length > 0) return matching;
  return invalid(
    `"${part}" is not a scope. The scopes are ${keyScopes.join(', ')}; all alone means every scope.`,
  );
}

/** Parses `203.0.113.7,10.0.0.0/8,2001:db8::/32`; `any` allows every address. */
export function networks(text: string): string[] {
  if (text === 'any') return [];
  const given = [...new Set(text.split(',').map((part) => part.trim()))];
  const wrong = given.find((part) => !isIpNetwork(part));
  if (wrong !== undefined)
    return invalid(
      `"${wrong}" is not an address or a network such as 203.0.113.7, 10.0.0.0/8 or 2001:db8::/32.`,
    );
  return given.length <= maxNetworks ? given : invalid(`Give at most ${maxNetworks} networks.`);
}

/** Parses a list such as `NG,GH`; `default` stays as it is. */
export const wordList =
  (change: (text: string) => string = (text) => text) =>
  (text: string): string[] | string =>
    text === asConfigured
      ? text
      : change(text)
          .split(',')
          .flatMap((part) => part.trim() || []);

/**
 * The changes that options ask for; `null` resets a setting.
 * @param rename turns the name of an option into that of its setting
 * @throws InvalidArgumentError without options
 */
export function changesFrom<T>(
  options: Readonly<Record<string, T | typeof asConfigured>>,
  what: 'limit' | 'setting',
  rename: (option: string) => string,
): Readonly<Record<string, T | null>> {
  const given = Object.entries(options);
  if (given.length === 0) invalid(`Name at least one ${what}; --help lists them.`);
  return Object.fromEntries(
    given.map(([option, value]) => [rename(option), value === asConfigured ? null : value]),
  );
}
