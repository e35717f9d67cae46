import { networks } from '@gangan/contracts';
import { listProducts, type ProductFilter, syncProducts } from '@gangan/management';
import { type Command, Option } from 'commander';
import { Money } from '../session/print.js';
import { addCommand, type AdminSession } from '../session/session.js';

/** The data bundles of providers. */
export function addProductCommands(group: Command, session: AdminSession): void {
  addCommand(group, 'products', 'list the data bundles of providers', ['--provider vtpass --network MTN'])
    .option('--provider <provider>', 'only those of this provider')
    .addOption(new Option('--network <network>', 'only those of this network').choices(networks))
    .option('--all', 'also those that are no longer sold')
    .action(async ({ all, ...filter }: ProductFilter & { readonly all?: true }) => {
      const products = await listProducts(await session.database(), {
        ...filter,
        ...(!all && { active: true }),
      });
      session.list(
        products.map(({ id, provider, network, code, name, priceKobo, active, syncedAt }) => ({
          ...{ id, provider, network, code, name },
          ...{ naira: new Money(priceKobo), sold: active, listed: syncedAt },
        })),
        'There are no products. Workers read them from the providers; see `pnpm admin airtime sync`.',
      );
    });

  addCommand(group, 'sync <provider>', 'read the data bundles of a provider and their prices now', [
    'vtpass',
  ]).action(async (provider: string) => {
    await syncProducts(await session.access(), provider);
    session.done(
      `A running airtime worker reads the products of ${provider} within 10 s. See \`pnpm admin airtime products --provider ${provider}\`.`,
      { provider },
    );
  });
}
