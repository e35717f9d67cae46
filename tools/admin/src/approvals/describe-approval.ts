import { Money } from '../session/print.js';
import type { Approval } from './approval.repository.js';

export const actionNames = {
  top_up: 'top-up',
  adjustment: 'adjustment',
  price: 'price',
  limits: 'limits',
  resolution: 'airtime resolve',
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
  if (after && !after.test_only) return `set ${what} to ${amountOf(after)}${was}`;
  const kept = after ? '; test organisations keep it' : '';
  return `remove ${what}, which is ${before ? amountOf(before) : 'not set'}: a shorter prefix applies, or it is free${kept}`;
}

const amountOf = ({ naira, test_only: testOnly }: StoredPrice): string =>
  `${naira.toFixed(2)} naira${testOnly ? ' (only test organisations)' : ''}`;

function describeLimits({ changes, before }: Approval['change']): string {
  const stored = before as Readonly<Record<string, number | string>>;
  return Object.entries(changes as Readonly<Record<string, number | null>>)
    .map(([column, value]) => {
      const name = column.replace(/_kobo$/, '');
      const isMoney = name !== column;
      const shown = value === null ? 'default' : isMoney ? value / 100 : value;
      return `${name} to ${valueOf(shown, isMoney)} instead of ${valueOf(stored[name] ?? 'default', isMoney)}`;
    })
    .join(', ');
}

function valueOf(value: number | string, isMoney: boolean): string {
  if (typeof value === 'string') return 'the configured value';
  if (value === 0) return 'no limit';
  return isMoney ? `${value.toFixed(2)} naira` : String(value);
}

function limitText(limit: unknown): string {
  const { naira } = limit as { readonly naira: number | 'off' };
  return naira === 'off' ? 'any amount' : `${naira.toFixed(2)} naira per operator and account`;
}
