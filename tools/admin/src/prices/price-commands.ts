import { type PriceCategory, priceCategories } from '@gangan/billing';
import { PricedService } from '@gangan/database';
import { type PriceId, setPrice, showPrices } from '@gangan/management';
import { Argument, type Command, Option } from 'commander';
import { reportPending } from '../approvals/report-pending.js';
import { invalid, notNegative } from '../session/arguments.js';
import { CommandError } from '../session/errors.js';
import { Money } from '../session/print.js';
import { addCommand, type AdminSession } from '../session/session.js';

const service = (): Argument => new Argument('<service>').choices(Object.values(PricedService));
export const anyNumber = 'any';

/** International digits; `any` is the price of numbers that match no other prefix. */
function prefix(text: string): string {
  if (text === anyNumber) return '';
  const digits = text.replace(/^\+/, '');
  if (/^[1-9]\d{0,14}$/.test(digits)) return digits;
  return invalid(`Use the first digits of international numbers, such as 234 or +234803, or ${anyNumber}.`);
}

const nameOf = (digits: string): string => (digits === '' ? anyNumber : digits);

const forCategory = (description: string): Option =>
  new Option('--category <category>', description).choices(priceCategories);

interface Options {
  readonly organisation?: string;
  readonly category?: PriceCategory;
}

export function addCommands(group: Command, session: AdminSession): void {
  const find = async ({ organisation }: Options) =>
    organisation === undefined ? undefined : session.organisation(organisation);
  const idOf = async (priced: PricedService, digits: string, options: Options): Promise<PriceId> => {
    if (priced === 'lookup' && options.category !== undefined)
      throw new CommandError('Lookups have no category.');
    const { category = '' } = options;
    return { service: priced, category, prefix: digits, organisation: await find(options) };
  };

  addCommand(
    group,
    'list',
    'list prices; the longest matching prefix applies',
    ['', '--organisation acme/live'],
    'Of two prices for the same prefix, the one with the category of the message applies. Live organisations cannot send where they have no price; prices with test_only are not for them. Lookups without a price are free.',
  )
    .option('--organisation <organisation>', 'what this organisation pays: its own prices and the others')
    .action(async (options: Options) => {
      const organisation = await find(options);
      const prices = await showPrices(await session.database(), organisation);
      session.list(
        prices.map((row) => ({
          service: row.service,
          prefix: nameOf(row.prefix),
          ...(row.category !== '' && { category: row.category }),
          naira: new Money(row.kobo),
          ...(row.own !== undefined && { own: row.own }),
          ...(row.testOnly === true && { test_only: true }),
        })),
        'There are no prices: nothing can be sent. Set one with `pnpm admin prices set`.',
      );
    });

  const examples = [
    'sms 234 4',
    'sms any 25.50',
    'sms 234 3.50 --organisation acme/live',
    'sms 234 3 --category promotional',
  ];
  const approval = `If live organisations would then pay 0, or less than a provider charges according to its settings in naira, another operator
must approve the change (exit code 3): see \`pnpm admin approvals\`.`;
  addCommand(group, 'set', 'set a price; apps apply it within 30 s', examples, approval)
    .addArgument(service())
    .argument('<prefix>', 'such as 234 or 234803, or any', prefix)
    .argument('<naira>', 'such as 4 or 2.50', notNegative)
    .option('--organisation <organisation>', 'only for this organisation, for all numbers with the prefix')
    .addOption(forCategory('only for OTPs, or messages of this category'))
    .action(async (priced: PricedService, digits: string, kobo: bigint, options: Options) => {
      const id = await idOf(priced, digits, options);
      const result = await setPrice(await session.access(), id, kobo);
      if (reportPending(session, result, rowOf(id), 'The price has not changed')) return;
      session.done(`${describe(id)} costs ${new Money(kobo).text}${forOrganisation(id)}.`, {
        ...rowOf(id),
        naira: new Money(kobo),
      });
    });

  const removal = 'remove a price; a shorter prefix applies instead, or nothing can be sent';
  addCommand(group, 'remove', removal, ['sms 234803', 'sms 234 --organisation acme/live'], approval)
    .addArgument(service())
    .argument('<prefix>', 'as it was set', prefix)
    .option('--organisation <organisation>', 'remove its own price; then the list applies again')
    .addOption(forCategory('as it was set'))
    .action(async (priced: PricedService, digits: string, options: Options) => {
      const id = await idOf(priced, digits, options);
      const label = `${describe(id)}${forOrganisation(id)}`;
      await session.confirm(`Remove the price of ${label}?`);
      const result = await setPrice(await session.access(), id, null);
      if (result.state === 'absent') throw new CommandError(`There is no price of ${label}.`);
      if (reportPending(session, result, rowOf(id), 'The price has not changed')) return;
      session.done(
        isKeptForTests(id) ? 'The price is removed; test organisations keep it.' : 'The price is removed.',
        rowOf(id),
      );
    });
}

const rowOf = ({ service: priced, category, prefix: digits, organisation }: PriceId) => ({
  ...(organisation && { organisation: organisation.label }),
  service: priced,
  prefix: nameOf(digits),
  ...(category !== '' && { category }),
});

const describe = ({ service: priced, category, prefix: digits }: PriceId): string =>
  `${priced} to ${nameOf(digits)}${category === '' ? '' : ` (${category})`}`;

const forOrganisation = ({ organisation }: PriceId): string =>
  organisation ? ` for ${organisation.label}` : '';

const isKeptForTests = ({ category, prefix: digits, organisation }: PriceId): boolean =>
  !organisation && category === '' && digits === '';
