import { listPrices } from '@gangan/billing';
import { PricedService } from '@gangan/database';
import { Argument, type Command } from 'commander';
import { invalid, notNegative } from '../session/arguments.js';
import { CommandError } from '../session/errors.js';
import { Money } from '../session/print.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { type PriceId, PriceStore } from './price-store.js';

const service = (): Argument => new Argument('<service>').choices(Object.values(PricedService));
const anyNumber = 'any';

/** International digits; `any` is the price of numbers that match no other prefix. */
function prefix(text: string): string {
  if (text === anyNumber) return '';
  const digits = text.replace(/^\+/, '');
  if (/^[1-9]\d{0,14}$/.test(digits)) return digits;
  return invalid(`Use the first digits of international numbers, such as 234 or +234803, or ${anyNumber}.`);
}

const nameOf = (digits: string): string => (digits === '' ? anyNumber : digits);

interface Options {
  readonly organisation?: string;
}

export function addCommands(group: Command, session: AdminSession): void {
  const store = new PriceStore(session);
  const find = async ({ organisation }: Options) =>
    organisation === undefined ? undefined : session.organisation(organisation);

  addCommand(group, 'list', 'list prices; the longest matching prefix applies', [
    '',
    '--organisation acme/live',
  ])
    .option('--organisation <organisation>', 'what this organisation pays: its own prices and the others')
    .action(async (options: Options) => {
      const organisation = await find(options);
      const database = await session.database();
      const own = organisation && (await store.ownPrices(organisation.id));
      const prices = await listPrices(database, organisation?.id);
      session.list(
        prices.map((row) => ({
          service: row.service,
          prefix: nameOf(row.prefix),
          naira: new Money(row.kobo),
          ...(own && { own: own.has(`${row.service} ${row.prefix}`) }),
        })),
        'There are no prices: nothing can be sent.',
      );
    });

  const examples = ['sms 234 4', 'sms any 25.50', 'sms 234 3.50 --organisation acme/live'];
  addCommand(group, 'set', 'set a price; apps apply it within 30 s', examples)
    .addArgument(service())
    .argument('<prefix>', 'such as 234 or 234803, or any', prefix)
    .argument('<naira>', 'such as 4 or 2.50', notNegative)
    .option('--organisation <organisation>', 'only for this organisation, for all numbers with the prefix')
    .action(async (priced: PricedService, digits: string, kobo: bigint, options: Options) => {
      const organisation = await find(options);
      await store.set({ service: priced, prefix: digits, organisation }, kobo);
      const naira = new Money(kobo);
      const price = { service: priced, prefix: nameOf(digits), naira };
      session.done(
        `${priced} to ${price.prefix} costs ${naira.text}${forOrganisation(organisation)}.`,
        organisation ? { organisation: organisation.label, ...price } : price,
      );
    });

  addCommand(group, 'remove', 'remove a price; a shorter prefix applies instead', [
    'sms 234803',
    'sms 234 --organisation acme/live',
  ])
    .addArgument(service())
    .argument('<prefix>', 'as it was set', prefix)
    .option('--organisation <organisation>', 'remove its own price; then the list applies again')
    .action(async (priced: PricedService, digits: string, options: Options) => {
      const organisation = await find(options);
      if (digits === '' && !organisation)
        throw new CommandError('The price for any number cannot be removed: some numbers would have none.');
      const id: PriceId = { service: priced, prefix: digits, organisation };
      const label = `${priced} to ${nameOf(digits)}${forOrganisation(organisation)}`;
      await session.confirm(`Remove the price of ${label}?`);
      if (!(await store.remove(id))) throw new CommandError(`There is no price of ${label}.`);
      session.done('The price is removed.', { service: priced, prefix: nameOf(digits) });
    });
}

const forOrganisation = (organisation: PriceId['organisation']): string =>
  organisation ? ` for ${organisation.label}` : '';
