import type { Network } from '@gangan/contracts';
import type { Database } from '@gangan/database';
import { kindsWithProducts } from '@gangan/providers';
import type { Access } from '../access.js';
import { change } from '../audit.js';
import { Refusal } from '../refusal.js';

export interface ProductFilter {
  readonly provider?: string;
  readonly network?: Network;
  /** Only those that are sold. */
  readonly active?: true;
}

/** The data bundles of providers. */
export const listProducts = (database: Database, where: ProductFilter) =>
  database.airtimeProduct.findMany({
    where,
    orderBy: [{ provider: 'asc' }, { network: 'asc' }, { priceKobo: 'asc' }, { id: 'asc' }],
  });

/** A worker then reads the products of the provider. */
export const syncProducts = (access: Access, provider: string) =>
  change(access, 'airtime sync', async (models, log) => {
    const where = { name: provider, domains: { has: 'airtime' } } as const;
    const found = await models.provider.findFirst({ where });
    if (!found) throw new Refusal('not_found', `There is no airtime provider ${provider}.`);
    const { kind, enabled, organisationId } = found;
    if (!kindsWithProducts.has(kind))
      throw new Refusal('conflict', `Providers of the kind ${kind} list no data bundles.`);
    if (!enabled)
      throw new Refusal('conflict', `${provider} is disabled`, {
        next: 'enable_provider',
        subject: provider,
      });
    const update = { dueAt: new Date() };
    const create = { provider, ...update };
    await models.airtimeCatalogue.upsert({ where: { provider }, create, update });
    await log({ organisationId, target: provider });
  });
