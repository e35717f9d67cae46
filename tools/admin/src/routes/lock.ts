import type { Models } from '@gangan/database';

/** Other changes of providers and routes wait until the transaction ends; reads do not. */
export const lockProvidersAndRoutes = (models: Models) =>
  models.$executeRaw`LOCK TABLE provider, route IN SHARE ROW EXCLUSIVE MODE`;
