import type { Models, PricedService } from '@gangan/database';
import type { Organisation } from '../session/find-organisation.js';
import { Money } from '../session/print.js';
import type { AdminSession } from '../session/session.js';

/** A price of the list, or of one organisation. */
export interface PriceId {
  readonly service: PricedService;
  readonly prefix: string;
  readonly organisation: Organisation | undefined;
}

/** Changes prices, with an entry in the audit log. */
export class PriceStore {
  constructor(private readonly session: AdminSession) {}

  /** The service and prefix of each own price of an organisation. */
  async ownPrices(organisationId: string): Promise<ReadonlySet<string>> {
    const database = await this.session.database();
    const own = await database.organisationPrice.findMany({ where: { organisationId } });
    return new Set(own.map(({ service, prefix }) => `${service} ${prefix}`));
  }

  async set(id: PriceId, kobo: bigint): Promise<void> {
    const database = await this.session.database();
    await database.$transaction(async (models) => {
      const before = await lockPrice(models, id);
      const { service, prefix, organisation } = id;
      if (organisation) {
        const row = { organisationId: organisation.id, service, prefix };
        await models.organisationPrice.upsert({
          where: { organisationId_service_prefix: row },
          create: { ...row, kobo },
          update: { kobo },
        });
      } else {
        const row = { service, prefix };
        await models.price.upsert({
          where: { service_prefix: row },
          create: { ...row, kobo },
          update: { kobo },
        });
      }
      await this.audit(models, id, { before: before?.kobo, after: kobo });
    });
  }

  /** @returns whether there was one */
  async remove(id: PriceId): Promise<boolean> {
    const database = await this.session.database();
    return database.$transaction(async (models) => {
      const before = await lockPrice(models, id);
      if (!before) return false;
      const { service, prefix, organisation } = id;
      if (organisation)
        await models.organisationPrice.delete({
          where: { organisationId_service_prefix: { organisationId: organisation.id, service, prefix } },
        });
      else await models.price.delete({ where: { service_prefix: { service, prefix } } });
      await this.audit(models, id, { before: before.kobo });
      return true;
    });
  }

  private audit(
    models: Models,
    { service, prefix, organisation }: PriceId,
    { before, after }: { readonly before: bigint | undefined; readonly after?: bigint },
  ): Promise<void> {
    return this.session.audit(models, {
      target: `${service} ${prefix === '' ? 'any' : prefix}`,
      organisationId: organisation?.id,
      before: before === undefined ? undefined : { naira: new Money(before) },
      after: after === undefined ? undefined : { naira: new Money(after) },
    });
  }
}

/** Other changes of prices wait until the transaction ends; reads do not. */
async function lockPrice(
  models: Models,
  { service, prefix, organisation }: PriceId,
): Promise<{ kobo: bigint } | null> {
  if (!organisation) {
    await models.$executeRaw`LOCK TABLE price IN SHARE ROW EXCLUSIVE MODE`;
    return models.price.findUnique({ where: { service_prefix: { service, prefix } } });
  }
  await models.$executeRaw`LOCK TABLE organisation_price IN SHARE ROW EXCLUSIVE MODE`;
  return models.organisationPrice.findUnique({
    where: { organisationId_service_prefix: { organisationId: organisation.id, service, prefix } },
  });
}
