import { callingCodeOf } from '@gangan/contracts';
import type { Destination, ProviderDefinition } from '@gangan/management';
import { asTable, Money } from '../session/print.js';

const maxShown = 20;
const airtimePrices =
  'Customers pay the amount that they buy. What it costs is in the answers of the provider; for those that do not say so, set `commission` (docs/operate/providers.md#cost).';

/** What customers pay and what it costs, and the command that sets a price. */
export function describeDestinations(
  { domain, channels }: ProviderDefinition,
  destinations: readonly Destination[],
  organisation: string | undefined,
): string {
  if (domain === 'airtime') return airtimePrices;
  const shown = destinations.slice(0, maxShown).map(({ price, cost, ...destination }) => ({
    ...destination,
    customers_pay: price === null ? 'no price' : `NGN ${new Money(price).text}`,
    it_costs: cost ?? 'not known',
  }));
  const more = destinations.length - shown.length;
  const missing = destinations.find(({ price }) => price === null)?.to ?? '234';
  const [service = 'lookup'] = channels;
  const own = organisation === undefined ? '' : ` --organisation ${organisation}`;
  const set = `pnpm admin prices set ${service} ${/^\d|any/.test(missing) ? missing : callingCodeOf(missing)} <naira>${own}`;
  return [
    shown.length === 0 ? 'Customers have no price for it yet.' : asTable(shown),
    ...(more > 0 ? [`… and ${more} more`] : []),
    `${
      domain === 'lookup'
        ? 'Lookups without a price are free.'
        : 'Live organisations cannot send to numbers without a price.'
    } Set a price with \`${set}\`.`,
  ].join('\n');
}
