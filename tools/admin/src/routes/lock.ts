import type { Models } from '@gangan/database';
import type { AdminSession } from '../session/session.js';

/** Runs in a transaction. Other changes of providers and routes wait until it ends; reads do not. */
export async function changeProvidersAndRoutes<T>(
  session: AdminSession,
  work: (models: Models) => Promise<T>,
): Promise<T> {
  const database = await session.database();
  return database.$transaction(async (models) => {
    await models.$executeRaw`LOCK TABLE provider, route IN SHARE ROW EXCLUSIVE MODE`;
    return work(models);
  });
}
