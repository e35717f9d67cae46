import type { Models } from '@gangan/database';
import { Refusal } from '../refusal.js';
import { findRouteDifference, replaceTargets, type RouteDefinition } from '../routes/stored-route.js';
import { findDifferences, type ProviderDefinition } from './definition.js';
import { type ProviderChange, saveProvider } from './providers.js';
import { changeProviders, readProvider, type SealedAccess, type SealerReader } from './stored-provider.js';

/** Providers and routes as an operator wants them. Those that are not named stay as they are. */
export interface Definitions {
  readonly providers: readonly ProviderDefinition[];
  readonly routes: readonly RouteDefinition[];
}

/** A provider or route that differs from the stored one. */
export interface DefinedChange {
  readonly name: string;
  readonly isRoute: boolean;
  /** Each line begins with the name. */
  readonly differences: readonly string[];
  /** In the transaction in which the differences were found. */
  readonly save: (change: ProviderChange) => Promise<unknown>;
}

export async function findChanges(
  models: Models,
  sealer: SealerReader,
  { providers, routes }: Definitions,
): Promise<readonly DefinedChange[]> {
  const changes: DefinedChange[] = [];
  for (const after of providers) {
    const { name } = after;
    const before = await readProvider(models, sealer, name);
    const differences = findDifferences(before, after).map((line) => `${name}: ${line}`);
    changes.push({ name, isRoute: false, differences, save: (to) => saveProvider(to, before, after) });
  }
  for (const definition of routes) {
    const difference = await findRouteDifference(models, definition);
    const { route, targets } = definition;
    changes.push({
      name: route.label,
      isRoute: true,
      differences: difference === undefined ? [] : [difference],
      save: (to) => replaceTargets(to.models, to.log, route, targets),
    });
  }
  return changes.filter(({ differences }) => differences.length > 0);
}

/** @throws Refusal if the changes are no longer those that the operator has seen */
export const applyDefinitions = (
  access: SealedAccess,
  definitions: Definitions,
  seen: readonly DefinedChange[],
) =>
  changeProviders(access, 'providers apply', async (models, log) => {
    const changes = await findChanges(models, access.sealer, definitions);
    for (const { name, differences } of seen) {
      const current = changes.find((change) => change.name === name);
      if (current?.differences.join('\n') !== differences.join('\n')) {
        const sentence = `${name} was changed meanwhile; nothing was applied`;
        throw new Refusal('conflict', sentence, { next: 'try_again' });
      }
      await current.save({ ...access, models, log });
    }
  });
