import { isExactAmount, parseMicros } from '../cost/money.js';
import { findPatternFaults, type Place, place } from '../http/answer-settings.js';
import { type Answer, readPlace, wholeOf } from '../http/read-part.js';
import type { RequestSettings } from '../http/request/request-settings.js';
import { object } from '../http/schema.js';

/** What we have left at a provider, in millionths of its currency. Negative if we owe it. */
export interface Credit {
  readonly micros: bigint;
  /** ISO 4217, such as NGN. */
  readonly currency: string;
}

/** How the provider is asked for our credit. */
export interface CreditSettings {
  /**
   * Headers and credentials are those of the request for a message, and the host is if the URL begins with a slash.
   * `{form.NAME}` is a field of the form of that request.
   */
  readonly request: Pick<RequestSettings, 'method' | 'url' | 'headers' | 'basic' | 'json' | 'form'>;
  /** Where the answer has the amount. It may include the currency, as in `KES 12.50`. */
  readonly amount: Place;
  /** Where the answer has the currency, or the currency itself. */
  readonly currency?: Place;
  /** A warning is logged when the credit falls below it. */
  readonly warnBelow?: string | number;
}

export const warnBelowSchema = { type: ['string', 'number'] };

/** @param request the schema of the request */
export const creditSchema = (request: object): object =>
  object(['request', 'amount'], {
    request,
    amount: place,
    currency: { ...place, pattern: '^(/|[A-Z]{3}$)', maxLength: 256 },
    warnBelow: warnBelowSchema,
  });

export const findCreditFaults = ({ amount, currency, warnBelow }: CreditSettings): string[] => [
  ...findPatternFaults('settings.credit', { amount, ...(currency !== undefined && { currency }) }),
  ...findWarnBelowFaults(warnBelow),
];

export const findWarnBelowFaults = (warnBelow: string | number | undefined): string[] =>
  warnBelow === undefined || isExactAmount(String(warnBelow))
    ? []
    : ['settings.credit.warnBelow is not an amount with at most 6 decimals'];

export const warnBelowMicros = (warnBelow: string | number | undefined): bigint | undefined =>
  warnBelow === undefined ? undefined : parseMicros(String(warnBelow));

const balance = /^(?:([A-Z]{3}) ?)?(-?)(\d{1,12})(?:\.(\d{1,18}))?(?: ?([A-Z]{3}))?$/;

/** `KES 12.50`, `-3` or `0.5`, cut to millionths. Undefined if it is not an amount, or if no currency is known. */
export function parseCredit(text: string, currency?: string): Credit | undefined {
  const [, before, sign, whole, fraction = '', after] = balance.exec(text.trim()) ?? [];
  const named = before ?? after ?? currency;
  if (whole === undefined || named === undefined || !/^[A-Z]{3}$/.test(named)) return undefined;
  const micros = BigInt(whole + fraction.slice(0, 6).padEnd(6, '0'));
  return { micros: sign === '-' ? -micros : micros, currency: named };
}

/** What the answer says; undefined if it cannot be read. */
export function readCredit(
  { amount, currency }: Pick<CreditSettings, 'amount' | 'currency'>,
  answer: Answer,
): Credit | undefined {
  const part = wholeOf(answer);
  const isCode = typeof currency === 'string' && !currency.startsWith('/');
  const named = isCode || currency === undefined ? currency : readPlace(currency, part);
  return parseCredit(readPlace(amount, part) ?? '', named);
}
