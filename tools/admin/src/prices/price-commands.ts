import { PricedService, sql } from '@gangan/database';
import { Argument, type Command, InvalidArgumentError } from 'commander';
import { notNegative } from '../session/arguments.js';
import type { AdminSession } from '../session/session.js';
import { Money } from '../session/money.js';
import { CommandError } from '../session/command-error.js';

const service = (): Argument => new Argument('<service>').choices(Object.values(PricedService));
const catchAll = 'any';

/** International digits; `any` is the price of all numbers that no other row matches. */
function prefix(text: string): string {
  if (text === catchAll) return '';
  const digits = text.replace(/^\+/, '');
  if (/^[1-9]\d{0,14}$/.test(digits)) return digits;
  throw new InvalidArgumentError(
    `Write the first digits of international numbers, such as 234 or +234803, or ${catchAll}.`,
  );
}

const named = (digits: string): string => (digits === '' ? catchAll : digits);

export function addPriceCommands(group: Command, session: AdminSession): void {
  group
    .command('list')
    .description('all prices; the longest matching prefix counts')
    .addHelpText('after', '\nExample:\n  pnpm admin prices list')
    .action(async () => {
      const database = await session.database();
      const rows = await database.query<{ service: string; prefix: string; kobo: bigint }>(sql`
        SELECT service, prefix, kobo FROM price ORDER BY service, prefix`);
      session.list(
        rows.map((row) => ({ service: row.service, prefix: named(row.prefix), naira: new Money(row.kobo) })),
        'There is no price: nothing can be sent.',
      );
    });

  group
    .command('set')
    .description('set a price; apps take it up within a minute')
    .addArgument(service())
    .argument('<prefix>', 'such as 234 or 234803, or any', prefix)
    .argument('<naira>', 'such as 4 or 2.50', notNegative)
    .addHelpText(
      'after',
      '\nExamples:\n  pnpm admin prices set sms 234 4\n  pnpm admin prices set sms any 25.50',
    )
    .action(async (priced: PricedService, digits: string, kobo: bigint) => {
      const database = await session.database();
      await database.execute(sql`
        INSERT INTO price (service, prefix, kobo) VALUES (${priced}, ${digits}, ${kobo})
        ON CONFLICT (service, prefix) DO UPDATE SET kobo = excluded.kobo`);
      const price = { service: priced, prefix: named(digits), naira: new Money(kobo) };
      session.done(`${priced} to ${price.prefix} costs ${price.naira.text}.`, price);
    });

  group
    .command('remove')
    .description('remove a price: a shorter prefix counts instead')
    .addArgument(service())
    .argument('<prefix>', 'as it was set', prefix)
    .addHelpText('after', '\nExample:\n  pnpm admin prices remove sms 234803')
    .action(async (priced: PricedService, digits: string) => {
      if (digits === '')
        throw new CommandError('The price for any number cannot be removed: without it some have none.');
      const database = await session.database();
      await session.confirm(`Remove the price of ${priced} to ${digits}?`);
      const removed = await database.execute(
        sql`DELETE FROM price WHERE service = ${priced} AND prefix = ${digits}`,
      );
      if (removed === 0) throw new CommandError(`There is no price of ${priced} to ${digits}.`);
      session.done('The price is removed.', { service: priced, prefix: digits });
    });
}
