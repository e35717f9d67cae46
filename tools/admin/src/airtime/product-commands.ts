import { type Network, networks } from '@gangan/contracts';
import type { Models } from '@gangan/database';
import { kindsWithProducts } from '@gangan/providers';
import { type Command, Option } from 'commander';
import { CommandError } from '../session/errors.js';
import { Money } from '../session/print.js';
import { addCommand, type AdminSession } from '../session/session.js';

interface Filter {
  readonly provider?: string;
  readonly network?: Network;
  readonly all?: true;
}

/** The data bundles of providers. */
export function addProductCommands(group: Command, session: AdminSession): void {
  addCommand(group, 'products', 'list the data bundles of providers', ['--provider vtpass --network MTN'])
    .option('--provider <provider>', 'only those of this provider')
    .addOption(new Option('--network <network>', 'only those of this network').choices(networks))
    .option('--all', 'also those that are no longer sold')
    .action(async ({ provider, network, all }: Filter) => {
      const database = await session.database();
      const rows = await database.airtimeProduct.findMany({
        where: {
          ...(provider !== undefined && { provider }),
          ...(network !== undefined && { network }),
          ...(!all && { active: true }),
        },
        orderBy: [{ provider: 'asc' }, { network: 'asc' }, { priceKobo: 'asc' }, { id: 'asc' }],
      });
      session.list(
        rows.map(({ id, priceKobo, syncedAt, ...row }) => ({
          id,
          provider: row.provider,
          network: row.network,
          code: row.code,
          name: row.name,
          naira: new Money(priceKobo),
          sold: row.active,
          listed: syncedAt,
        })),
        'There are no products. Workers read them from the providers; see `pnpm admin airtime sync`.',
      );
    });

  addCommand(group, 'sync <provider>', 'read the data bundles of a provider and their prices now', [
    'vtpass',
  ]).action(async (name: string) => {
    const database = await session.database();
    await database.$transaction(async (models) => {
      const provider = await models.provider.findFirst({ where: { name, domains: { has: 'airtime' } } });
      if (!provider) throw new CommandError(`There is no airtime provider ${name}.`);
      if (!kindsWithProducts.has(provider.kind))
        throw new CommandError(`Providers of the kind ${provider.kind} list no data bundles.`);
      if (!provider.enabled)
        throw new CommandError(`${name} is disabled: run \`pnpm admin providers enable ${name}\` first.`);
      await makeProductsDue(models, name);
      await session.audit(models, { organisationId: provider.organisationId ?? undefined, target: name });
    });
    session.done(
      `A running airtime worker reads the products of ${name} within 10 s. See \`pnpm admin airtime products --provider ${name}\`.`,
      { provider: name },
    );
  });
}

/** A worker then reads the products of the provider. */
export async function makeProductsDue(models: Models, provider: string): Promise<void> {
  const dueAt = new Date();
  await models.airtimeCatalogue.upsert({
    where: { provider },
    create: { provider, dueAt },
    update: { dueAt },
  });
}
