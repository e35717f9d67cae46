import { type Models, PricedService } from '@gangan/database';
import { Argument, type Command } from 'commander';
import { invalid, notNegative } from '../session/arguments.js';
import { CommandError } from '../session/errors.js';
import { Money } from '../session/print.js';
import { addCommand, type AdminSession } from '../session/session.js';

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

export function addCommands(group: Command, session: AdminSession): void {
  addCommand(group, 'list', 'list all prices; the longest matching prefix applies').action(async () => {
    const database = await session.database();
    const prices = await database.price.findMany({ orderBy: [{ service: 'asc' }, { prefix: 'asc' }] });
    session.list(
      prices.map((row) => ({
        service: row.service,
        prefix: nameOf(row.prefix),
        naira: new Money(row.kobo),
      })),
      'There are no prices: nothing can be sent.',
    );
  });

  const examples = ['sms 234 4', 'sms any 25.50'];
  addCommand(group, 'set', 'set a price; apps apply it within 30 s', examples)
    .addArgument(service())
    .argument('<prefix>', 'such as 234 or 234803, or any', prefix)
    .argument('<naira>', 'such as 4 or 2.50', notNegative)
    .action(async (priced: PricedService, digits: string, kobo: bigint) => {
      const database = await session.database();
      const id = { service: priced, prefix: digits };
      const price = { service: priced, prefix: nameOf(digits), naira: new Money(kobo) };
      await database.$transaction(async (models) => {
        const before = await lockPrice(models, id);
        await models.price.upsert({
          where: { service_prefix: id },
          create: { ...id, kobo },
          update: { kobo },
        });
        await session.audit(models, {
          target: `${priced} ${price.prefix}`,
          before: before ? { naira: new Money(before.kobo) } : undefined,
          after: { naira: price.naira },
        });
      });
      session.done(`${priced} to ${price.prefix} costs ${price.naira.text}.`, price);
    });

  addCommand(group, 'remove', 'remove a price; a shorter prefix applies instead', ['sms 234803'])
    .addArgument(service())
    .argument('<prefix>', 'as it was set', prefix)
    .action(async (priced: PricedService, digits: string) => {
      if (digits === '')
        throw new CommandError('The price for any number cannot be removed: some numbers would have none.');
      const database = await session.database();
      await session.confirm(`Remove the price of ${priced} to ${digits}?`);
      const id = { service: priced, prefix: digits };
      await database.$transaction(async (models) => {
        const removed = await lockPrice(models, id);
        if (!removed) throw new CommandError(`There is no price of ${priced} to ${digits}.`);
        await models.price.delete({ where: { service_prefix: id } });
        const before = { naira: new Money(removed.kobo) };
        await session.audit(models, { target: `${priced} ${digits}`, before });
      });
      session.done('The price is removed.', id);
    });
}

/** Other changes of prices wait until the transaction ends; reads do not. */
async function lockPrice(models: Models, id: { readonly service: PricedService; readonly prefix: string }) {
  await models.$executeRaw`LOCK TABLE price IN SHARE ROW EXCLUSIVE MODE`;
  return models.price.findUnique({ where: { service_prefix: id } });
}
