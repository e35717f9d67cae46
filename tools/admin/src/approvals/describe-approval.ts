import type { Approval } from '@gangan/management';
import { Money } from '../session/print.js';

export const actionNames = {
  top_up: 'top-up',
  adjustment: 'adjustment',
  price: 'price',
  limits: 'limits',
  resolution: 'airtime resolve',
  refund: 'refund',
  approval_limit: 'approval limit',
} as const;

/** What happens when a request is approved, with amounts in naira. */
export function describeChange({ action, kobo, organisation, change, subject }: Approval): string {
  const naira = new Money(kobo ?? 0n).text;
  const of = organisation === null ? '' : ` for ${organisation}`;
  switch (action) {
    case 'top_up':
      return `add ${naira} naira to the wallet${ofWallet(organisation)}`;
    case 'adjustment':
      return (kobo ?? 0n) < 0n
        ? `take ${naira.slice(1)} naira from the wallet${ofWallet(organisation)}`
        : `add ${naira} naira to the wallet${ofWallet(organisation)}`;
    case 'price':
      return describePrice(change, of);
    case 'limits':
      return `change limits${of}: ${describeLimits(change)}`;
    case 'resolution':
      return `${resolutions[String(change['outcome'])] ?? ''} the ${naira} naira of the airtime purchase ${subject}${of}`;
    case 'refund':
      return `refund ${naira} naira of ${(change['deliveries'] as unknown[]).length} deliveries without an answer${of}`;
    case 'approval_limit':
      return `allow ${limitText(change['after'])} in 24 hours without an approval, instead of ${limitText(change['before'])}`;
  }
}

const ofWallet = (organisation: string | null): string => ` of ${organisation ?? ''}`;

const resolutions: Readonly<Record<string, string>> = {
  success: 'charge',
  failed: 'refund',
  loss: 'book as our loss',
};

interface StoredPrice {
  readonly naira: number;
  readonly test_only?: true;
}

function describePrice(change: Approval['change'], of: string): string {
  const { service, category, prefix } = change;
  const [before, after] = [change['before'], change['after']] as (StoredPrice | null)[];
  const numbers = prefix === '' ? 'any number' : `numbers that begin with ${String(prefix)}`;
  const what = `the price of ${String(service)} to ${numbers}${category === '' ? '' : ` (${String(category)})`}${of}`;
  const was = before ? ` instead of ${amountOf(before)}` : '; there was no price';
  const cost =
    change['cost'] === undefined ? '' : `; a provider charges ${Number(change['cost']).toFixed(2)} naira`;
  if (after && !after.test_only) return `set ${what} to ${amountOf(after)}${was}${cost}`;
  const kept = after ? '; test organisations keep it' : '';
  const paid = `${Number(change['paid']).toFixed(2)} naira`;
  return `remove ${what}, which is ${before ? amountOf(before) : 'not set'}: ${paid} is paid then${cost}${kept}`;
}

const amountOf = ({ naira, test_only: testOnly }: StoredPrice): string =>
  `${naira.toFixed(2)} naira${testOnly ? ' (only test organisations)' : ''}`;

function describeLimits({ changes, before, configured }: Approval['change']): string {
  const stored = before as Readonly<Record<string, number | string>>;
  const defaults = (configured ?? {}) as Readonly<Record<string, number>>;
  return Object.entries(changes as Readonly<Record<string, number | null>>)
    .map(([column, value]) => {
      const name = column.replace(/_kobo$/, '');
      const isMoney = name !== column;
      const unit = isMoney ? 100 : 1;
      const textOf = (given: number | string | null | undefined): string => {
        if (typeof given === 'number') return valueOf(given, isMoney);
        const own = defaults[column];
        return own === undefined ? 'the configured value' : `the configured ${valueOf(own / unit, isMoney)}`;
      };
      return `${name} to ${textOf(value === null ? null : value / unit)} instead of ${textOf(stored[name])}`;
    })
    .join(', ');
}

function valueOf(value: number, isMoney: boolean): string {
  if (value === 0) return 'no limit';
  return isMoney ? `${value.toFixed(2)} naira` : String(value);
}

function limitText(limit: unknown): string {
  const { naira } = limit as { readonly naira: number | 'off' };
  return naira === 'off' ? 'any amount' : `${naira.toFixed(2)} naira per operator and account`;
}
