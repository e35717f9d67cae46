import type { Models, Prisma } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { openSecrets, sealSecrets } from '@gangan/providers';
import type { DataSealer } from '@gangan/sealing';
import { CommandError } from '../session/errors.js';
import type { AdminSession } from '../session/session.js';
import { describeProvider, findDifferences, findFaults, type ProviderDefinition } from './definition.js';

export interface FoundProvider extends ProviderDefinition {
  readonly id: string;
}

/** Reads and changes the rows of providers. */
export class ProviderStore {
  constructor(
    private readonly session: AdminSession,
    private readonly sealer: DataSealer,
  ) {}

  /** @throws CommandError if its secrets cannot be opened */
  async find(models: Models, name: string): Promise<FoundProvider | undefined> {
    const row = await models.provider.findUnique({ where: { name } });
    if (!row) return undefined;
    const { id, organisationId, kind, channels, enabled, rate, window, settings } = row;
    let secrets;
    try {
      secrets = openSecrets(this.sealer, row, row.sealedSecrets);
    } catch (cause) {
      throw new CommandError(
        `The secrets of ${name} cannot be opened: check that DATA_KEY has the key with which they were sealed.`,
        { cause },
      );
    }
    const common = { id, organisationId, kind, channels, enabled, rate, window, secrets };
    return { ...common, settings: settings as ProviderDefinition['settings'] };
  }

  async get(models: Models, name: string): Promise<FoundProvider> {
    const found = await this.find(models, name);
    if (found) return found;
    throw new CommandError(`There is no provider ${name}: see \`pnpm admin providers list\`.`);
  }

  /**
   * Stores a provider and its entry in the audit log.
   * @returns what was changed; nothing is stored if nothing differs
   * @throws CommandError that names every fault
   */
  async save(models: Models, name: string, after: ProviderDefinition): Promise<readonly string[]> {
    const faults = findFaults(name, after);
    if (faults.length > 0) throw new CommandError(`${name} cannot be used: ${faults.join('; ')}.`);
    // Other changes of providers wait until the transaction ends; reads do not.
    await models.$executeRaw`LOCK TABLE provider IN SHARE ROW EXCLUSIVE MODE`;
    const before = await this.find(models, name);
    const differences = before ? findDifferences(before, after) : ['added'];
    if (differences.length === 0) return [];
    const id = before?.id ?? newId();
    const { organisationId, kind, channels, enabled, rate, window, secrets } = after;
    const sealed = sealSecrets(this.sealer, { id, organisationId }, secrets);
    const data = {
      ...{ organisationId, kind, enabled, rate, window, channels: [...channels] },
      settings: after.settings as Prisma.InputJsonObject,
      sealedSecrets: sealed === null ? null : Uint8Array.from(sealed),
    };
    if (before) await models.provider.update({ where: { id }, data: { ...data, updatedAt: new Date() } });
    else await models.provider.create({ data: { id, name, domains: ['message'], ...data } });
    const changedSecrets = differences.filter((line) => line.startsWith('secrets.'));
    await this.session.audit(models, {
      ...{ organisationId: organisationId ?? undefined, target: name },
      before: before && describeProvider(before),
      after: {
        ...describeProvider(after),
        ...(changedSecrets.length > 0 && { changed_secrets: changedSecrets }),
      },
    });
    return differences;
  }
}
