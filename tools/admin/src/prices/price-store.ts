import type { PriceCategory } from '@gangan/billing';
import type { Models, PricedService } from '@gangan/database';
import type { Organisation } from '../session/find-organisation.js';
import { Money } from '../session/print.js';
import type { AdminSession } from '../session/session.js';

/** A price of the list, or of one organisation. */
export interface PriceId {
  readonly service: PricedService;
  /** Empty: every category. */
  readonly category: PriceCategory | '';
  /** Empty: every number. */
  readonly prefix: string;
  readonly organisation: Organisation | undefined;
}

interface StoredPrice {
  readonly kobo: bigint;
  /** Only test organisations can send at it. */
  readonly testOnly?: boolean;
}

/** Changes prices, with an entry in the audit log. */
export class PriceStore {
  constructor(private readonly session: AdminSession) {}

  /** The service, category and prefix of each own price of an organisation. */
  async ownPrices(organisationId: string): Promise<ReadonlySet<string>> {
    const database = await this.session.database();
    const own = await database.organisationPrice.findMany({ where: { organisationId } });
    return new Set(own.map(keyOf));
  }

  async set(id: PriceId, kobo: bigint): Promise<void> {
    const database = await this.session.database();
    await database.$transaction(async (models) => {
      const before = await lockPrice(models, id);
      const { service, category, prefix, organisation } = id;
      const row = { service, category, prefix };
      if (organisation) {
        const own = { organisationId: organisation.id, ...row };
        await models.organisationPrice.upsert({
          where: { organisationId_service_category_prefix: own },
          create: { ...own, kobo },
          update: { kobo },
        });
      } else {
        await models.price.upsert({
          where: { service_category_prefix: row },
          create: { ...row, kobo },
          update: { kobo, testOnly: false },
        });
      }
      await this.audit(models, id, before, { kobo });
    });
  }

  /**
   * Test organisations keep the price for any number of the list, because they can send to every country.
   * @returns whether there was one
   */
  async remove(id: PriceId): Promise<boolean> {
    const database = await this.session.database();
    return database.$transaction(async (models) => {
      const before = await lockPrice(models, id);
      if (!before || before.testOnly) return false;
      const { service, category, prefix, organisation } = id;
      const row = { service, category, prefix };
      const after = isKeptForTests(id) ? { kobo: before.kobo, testOnly: true } : undefined;
      if (organisation)
        await models.organisationPrice.delete({
          where: { organisationId_service_category_prefix: { organisationId: organisation.id, ...row } },
        });
      else if (after)
        await models.price.update({ where: { service_category_prefix: row }, data: { testOnly: true } });
      else await models.price.delete({ where: { service_category_prefix: row } });
      await this.audit(models, id, before, after);
      return true;
    });
  }

  private audit(
    models: Models,
    { service, category, prefix, organisation }: PriceId,
    before: StoredPrice | undefined,
    after: StoredPrice | undefined,
  ): Promise<void> {
    return this.session.audit(models, {
      target: [service, prefix === '' ? 'any' : prefix, ...(category === '' ? [] : [category])].join(' '),
      organisationId: organisation?.id,
      before: before && shown(before),
      after: after && shown(after),
    });
  }
}

export const keyOf = ({ service, category, prefix }: Record<'service' | 'category' | 'prefix', string>) =>
  `${service} ${category} ${prefix}`;

export const isKeptForTests = ({ category, prefix, organisation }: PriceId): boolean =>
  !organisation && category === '' && prefix === '';

const shown = ({ kobo, testOnly }: StoredPrice) => ({
  naira: new Money(kobo),
  ...(testOnly && { test_only: true }),
});

/** Other changes of prices wait until the transaction ends; reads do not. */
async function lockPrice(
  models: Models,
  { service, category, prefix, organisation }: PriceId,
): Promise<StoredPrice | undefined> {
  const row = { service, category, prefix };
  if (!organisation) {
    await models.$executeRaw`LOCK TABLE price IN SHARE ROW EXCLUSIVE MODE`;
    return (await models.price.findUnique({ where: { service_category_prefix: row } })) ?? undefined;
  }
  await models.$executeRaw`LOCK TABLE organisation_price IN SHARE ROW EXCLUSIVE MODE`;
  const where = { organisationId_service_category_prefix: { organisationId: organisation.id, ...row } };
  return (await models.organisationPrice.findUnique({ where })) ?? undefined;
}
