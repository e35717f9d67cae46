import type { Models } from '@gangan/database';
import type { Access } from '../access.js';
import { change } from '../audit.js';
import { Refusal } from '../refusal.js';

/** Like `change`. Other changes of providers and routes wait until it ends; reads do not. */
export const changeProviders: typeof change = (access: Access, action, work) =>
  change(access, action, async (models, log) => {
    await models.$executeRaw`LOCK TABLE provider, route IN SHARE ROW EXCLUSIVE MODE`;
    return work(models, log);
  });

/** The row of a provider. @throws Refusal if there is none */
export async function findProviderRow(models: Models, name: string) {
  const found = await models.provider.findUnique({ where: { name } });
  if (found) return found;
  throw new Refusal('not_found', `There is no provider ${name}`, { next: 'list_providers' });
}
