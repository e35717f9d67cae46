import type { Models, Prisma } from '@gangan/database';
import { newId } from '@gangan/protocol';
import {
  type InboundTokens,
  newInboundToken,
  openSecrets,
  openTokens,
  type SecretOwner,
  type Secrets,
  sealSecrets,
  sealTokens,
} from '@gangan/providers';
import { changesAccount, refuseOpenPurchases } from '../airtime/open-purchases.js';
import { withdrawProducts } from '../airtime/product-commands.js';
import { changeProvidersAndRoutes } from '../routes/lock.js';
import { targetFault } from '../routes/targets.js';
import { CommandError } from '../session/errors.js';
import type { AdminSession } from '../session/session.js';
import {
  describeProvider,
  findDifferences,
  findFaults,
  type ProviderDefinition,
  sendsReports,
  type ShownProvider,
} from './definition.js';

export interface FoundProvider extends ShownProvider {
  readonly id: string;
}

/** Reads and changes the rows of providers. */
export class ProviderStore {
  constructor(private readonly session: AdminSession) {}

  change<T>(work: (models: Models) => Promise<T>): Promise<T> {
    return changeProvidersAndRoutes(this.session, work);
  }

  async find(models: Models, name: string): Promise<FoundProvider | undefined> {
    const row = await models.provider.findUnique({ where: { name } });
    if (!row) return undefined;
    const { id, organisationId, kind, channels, enabled, rate, window, registeredSenders, settings } = row;
    const secrets = await this.tryOpen(row);
    const [domain = 'message'] = row.domains;
    const common = { id, organisationId, kind, domain, channels, enabled, rate, window, secrets };
    return { ...common, registeredSenders, settings: settings as ProviderDefinition['settings'] };
  }

  async get(models: Models, name: string): Promise<FoundProvider> {
    const found = await this.find(models, name);
    if (found) return found;
    throw new CommandError(`There is no provider ${name}: see \`pnpm admin providers list\`.`);
  }

  /**
   * Stores a provider and its entry in the audit log.
   * @param before the stored provider, read in the same transaction; absent if it is added
   * @returns what was changed; nothing is stored if nothing differs
   * @throws CommandError that names every fault
   */
  async save(
    models: Models,
    name: string,
    before: FoundProvider | undefined,
    after: ProviderDefinition,
  ): Promise<readonly string[]> {
    const faults = [
      ...findFaults(name, after),
      ...(before ? await routeFaults(models, before.id, after) : []),
    ];
    if (faults.length > 0) throw new CommandError(`${name} cannot be used: ${faults.join('; ')}.`);
    const differences = findDifferences(before, after);
    if (differences.length === 0) return [];
    if (before?.domain === 'airtime' && changesAccount(differences)) {
      await refuseOpenPurchases(models, name);
      await withdrawProducts(models, name);
    }
    const id = before?.id ?? newId();
    const { organisationId, kind, domain, channels, enabled, rate, window, registeredSenders, secrets } =
      after;
    const sealed =
      Object.keys(secrets).length === 0
        ? null
        : sealSecrets(await this.session.sealer(), { id, organisationId, domains: [domain] }, secrets);
    const data = {
      organisationId,
      kind,
      enabled,
      rate,
      window,
      registeredSenders,
      domains: [domain],
      channels: [...channels],
      settings: after.settings as Prisma.InputJsonObject,
      sealedSecrets: sealed === null ? null : Uint8Array.from(sealed),
      sealedToken: await this.tokenFor(models, { id, organisationId, domains: [domain] }, after),
    };
    if (before) {
      await models.provider.update({ where: { id }, data: { ...data, updatedAt: new Date() } });
      // The health was observed with the old settings.
      await models.providerHealth.deleteMany({ where: { providerId: id } });
    } else await models.provider.create({ data: { id, name, ...data } });
    const changedSecrets = differences.filter((line) => line.startsWith('secrets'));
    await this.session.audit(models, {
      organisationId: organisationId ?? undefined,
      target: name,
      before: before && describeProvider(before),
      after: {
        ...describeProvider(after),
        ...(changedSecrets.length > 0 && { changed_secrets: changedSecrets }),
      },
    });
    return differences;
  }

  /** Needs neither valid settings nor readable secrets, so that a broken provider can be disabled. */
  async disable(models: Models, name: string): Promise<readonly string[]> {
    const before = await this.get(models, name);
    if (!before.enabled) return [];
    const { id, organisationId } = before;
    await models.provider.update({ where: { id }, data: { enabled: false, updatedAt: new Date() } });
    await this.session.audit(models, {
      organisationId: organisationId ?? undefined,
      target: name,
      before: describeProvider(before),
      after: describeProvider({ ...before, enabled: false }),
    });
    return ['enabled: true → false'];
  }

  /** The token in the path of the provider's requests to us. @throws CommandError if there is none */
  async openToken(models: Models, name: string): Promise<string> {
    const row = await models.provider.findUnique({ where: { name } });
    if (!row?.sealedToken)
      throw new CommandError(
        `${name} cannot send us requests: it has no settings for reports. See \`pnpm admin providers show ${name}\`.`,
      );
    try {
      return openTokens(await this.session.sealer(), row, row.sealedToken).token;
    } catch (cause) {
      throw new CommandError(
        `The token of ${name} cannot be opened: check DATA_MASTER_KEY, or replace it with --rotate.`,
        { cause },
      );
    }
  }

  /** Requests with the old token are refused within 5 s, or after `keptMs`. */
  async rotateToken(models: Models, name: string, keptMs: number): Promise<void> {
    const { id, organisationId, ...definition } = await this.get(models, name);
    if (!sendsReports(definition))
      throw new CommandError(`${name} has no settings for reports, so it needs no token.`);
    const former =
      keptMs === 0
        ? undefined
        : { token: await this.openToken(models, name), until: new Date(Date.now() + keptMs) };
    const sealed = sealTokens(
      await this.session.sealer(),
      { id, organisationId, domains: [definition.domain] },
      { token: newInboundToken(), ...(former && { former }) },
    );
    await models.provider.update({
      where: { id },
      data: { sealedToken: Uint8Array.from(sealed), updatedAt: new Date() },
    });
  }

  /** Seals the existing token again, because the owner may have changed; makes a new one if it cannot be opened. */
  private async tokenFor(
    models: Models,
    owner: SecretOwner,
    definition: ProviderDefinition,
  ): Promise<Uint8Array<ArrayBuffer> | null> {
    if (!sendsReports(definition)) return null;
    const sealer = await this.session.sealer();
    const before = await models.provider.findUnique({ where: { id: owner.id } });
    let tokens: InboundTokens = { token: newInboundToken() };
    try {
      if (before?.sealedToken) tokens = openTokens(sealer, before, before.sealedToken);
    } catch {
      // It cannot be opened, so it is replaced.
    }
    return Uint8Array.from(sealTokens(sealer, owner, tokens));
  }

  private async tryOpen(
    row: SecretOwner & { readonly sealedSecrets: Uint8Array | null },
  ): Promise<Secrets | undefined> {
    if (row.sealedSecrets === null) return {};
    try {
      return openSecrets(await this.session.sealer(), row, row.sealedSecrets);
    } catch {
      return undefined;
    }
  }
}

/** @throws CommandError if its secrets cannot be opened */
export function withSecrets(name: string, found: FoundProvider): FoundProvider & ProviderDefinition {
  const { secrets } = found;
  if (secrets) return { ...found, secrets };
  throw new CommandError(
    `The secrets of ${name} cannot be opened: check DATA_MASTER_KEY, or give all of them again with \`pnpm admin providers set ${name} --secret\`.`,
  );
}

/** A change must not make a provider unusable for its routes. */
async function routeFaults(models: Models, providerId: string, after: ProviderDefinition): Promise<string[]> {
  const routes = await models.route.findMany({ where: { targets: { some: { providerId } } } });
  const faults = routes.flatMap((route) => targetFault(after, route) ?? []);
  return [...new Set(faults)].map((fault) => `a route uses it, but it ${fault}: change the route first`);
}
