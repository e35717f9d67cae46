import type { Models } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { CommandError } from '../session/errors.js';
import type { AdminSession } from '../session/session.js';

/** Which purchases a route is for. A condition that is `null` matches all. */
export interface RouteKey {
  readonly organisationId: string | null;
  readonly network: string | null;
}

export interface AirtimeRoute {
  readonly key: RouteKey;
  /** The conditions in words. */
  readonly label: string;
  /** Names of providers, in the order in which they are tried. */
  readonly providers: readonly string[];
}

export const labelOfRoute = (network: string | undefined, organisation: string | undefined): string =>
  `for ${network ?? 'any network'} of ${organisation ?? 'any organisation'}`;

/** Reads and changes the routes of purchases, in transactions that have locked them. */
export class AirtimeRouteStore {
  constructor(private readonly session: AdminSession) {}

  /** The providers of the route with exactly these conditions; none if there is no such route. */
  async find(models: Pick<Models, 'airtimeRoute'>, where: RouteKey): Promise<string[]> {
    const targets = await models.airtimeRoute.findMany({
      where,
      include: { provider: true },
      orderBy: { position: 'asc' },
    });
    return targets.map(({ provider }) => provider.name);
  }

  /** Adds the route, or replaces its providers. @returns those that it had */
  async save(models: Models, { key, label, providers }: AirtimeRoute): Promise<readonly string[]> {
    const rows = await models.provider.findMany({
      where: { name: { in: [...providers] }, domains: { has: 'airtime' } },
    });
    const missing = providers.filter((name) => !rows.some((row) => row.name === name));
    const foreign = rows.filter(
      ({ organisationId }) => organisationId !== null && organisationId !== key.organisationId,
    );
    if (missing.length > 0) throw new CommandError(`There is no airtime provider ${missing.join(', ')}.`);
    if (new Set(providers).size < providers.length) throw new CommandError('A provider is named twice.');
    if (foreign.length > 0)
      throw new CommandError(
        `${foreign.map(({ name }) => name).join(', ')} belongs to an organisation, which the route must name.`,
      );
    const before = await this.find(models, key);
    await models.airtimeRoute.deleteMany({ where: key });
    const providerIds = providers.map((name) => rows.find((row) => row.name === name)?.id ?? '');
    await models.airtimeRoute.createMany({
      data: providerIds.map((providerId, position) => ({ id: newId(), ...key, providerId, position })),
    });
    await this.audit(models, key, label, before, providers);
    return before;
  }

  /** @throws CommandError if there is no such route */
  async remove(models: Models, { key, label }: Omit<AirtimeRoute, 'providers'>): Promise<void> {
    const before = await this.find(models, key);
    if (before.length === 0) throw new CommandError(`There is no route of airtime ${label}.`);
    await models.airtimeRoute.deleteMany({ where: key });
    await this.audit(models, key, label, before, []);
  }

  private audit(
    models: Models,
    { organisationId }: RouteKey,
    label: string,
    before: readonly string[],
    after: readonly string[],
  ): Promise<void> {
    return this.session.audit(models, {
      organisationId: organisationId ?? undefined,
      target: `airtime ${label}`,
      ...(before.length > 0 && { before: { providers: before } }),
      ...(after.length > 0 && { after: { providers: after } }),
    });
  }
}
