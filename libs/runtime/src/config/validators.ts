import { isAirtimeBounds, isKnownRegion, otpTextError } from '@gangan/contracts';
import { databaseUrlFault } from '@gangan/database';
import { redisUrlFault } from '@gangan/queue';
import { EnvError, makeExactValidator } from 'envalid';
import { parseDurations } from './durations.js';

export { str } from 'envalid';

/** A value that must not be shown is never repeated in a message: whoever reads the fault knows what they set. */
const refuse = (expected: string): never => {
  throw new EnvError(expected);
};

export const bool = makeExactValidator<boolean>((input) =>
  ['true', 'false'].includes(input) ? input === 'true' : refuse('must be true or false'),
);

export const wholeNumber = (bounds: { readonly min: number; readonly max: number }) =>
  makeExactValidator<number>((input) => {
    const value = /^\d{1,15}$/.test(input) ? Number(input) : NaN;
    return value >= bounds.min && value <= bounds.max
      ? value
      : refuse(`must be a whole number from ${bounds.min} to ${bounds.max}`);
  });

/** A port to listen on; 0 lets the system choose a free one. */
export const listenPort = wholeNumber({ min: 0, max: 65_535 });

/** Text as it is, unless somebody finds a fault in it. */
const faultless = (faultOf: (input: string) => string | undefined) =>
  makeExactValidator<string>((input) => {
    const fault = faultOf(input);
    return fault === undefined ? input : refuse(fault);
  });

export const databaseUrl = faultless(databaseUrlFault);
export const redisUrl = faultless(redisUrlFault);

/** An address that paths are appended to, so it ends without a slash. */
export const baseUrl = makeExactValidator<string>((input) => {
  const expected = 'must be an http:// or https:// address without a query, such as https://sms.example.com';
  if (!URL.canParse(input)) return refuse(expected);
  const url = new URL(input);
  const usable = ['http:', 'https:'].includes(url.protocol) && !url.search && !url.hash && !url.username;
  return usable ? url.href.replace(/\/+$/, '') : refuse(expected);
});

export const region = makeExactValidator<string>((input) =>
  isKnownRegion(input)
    ? input
    : refuse('must be the two capital letters of a country (ISO 3166), such as NG'),
);

export const airtimeBounds = makeExactValidator<string>((input) =>
  isAirtimeBounds(input)
    ? input
    : refuse('must be a range of whole naira, then those of single networks, such as 1-100000,MTN=50-50000'),
);

/** One or several, each longer than the one before it; `parseDurations` reads them. */
export const durations = makeExactValidator<string>((input) =>
  parseDurations(input) ? input : refuse('must be growing times, separated by commas, such as 5s,30s,2m,1h'),
);

/** One key, or the new and the old one during a change: base64 of 32 bytes each, separated by a comma. */
export const sealingKeys = makeExactValidator<readonly string[]>((input) => {
  const keys = input.split(',').map((key) => key.trim());
  const usable = keys.length <= 2 && keys.every((key) => /^[A-Za-z0-9+/]{43}=$/.test(key));
  return usable ? keys : refuse('must be one key, or two separated by a comma, each the base64 of 32 bytes');
});

/** What an OTP says, with a place for the code. */
export const otpText = faultless(otpTextError);
