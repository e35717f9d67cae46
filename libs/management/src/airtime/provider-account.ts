import type { Models } from '@gangan/database';
import { Refusal } from '../refusal.js';

/** Lines of `findDifferences` after which queries may reach another account, or none. */
const accountChange = /^(kind|domain|settings\.(url|tokenUrl|queryUrl|username)|secrets\.\w+):/;

export const changesAccount = (differences: readonly string[]): boolean =>
  differences.some((line) => accountChange.test(line));

/**
 * Another account does not know the purchases that were submitted to this one: they would be refunded although they may
 * have been delivered. Nor does it sell the products of this one.
 * @throws Refusal while purchases wait for their outcome at the provider
 */
export async function leaveAccount(models: Models, provider: string): Promise<void> {
  const count = await models.airtimePurchase.count({
    where: { provider, state: { in: ['submitting', 'sent', 'error'] } },
  });
  if (count > 0) {
    const purchases = `${count} airtime ${count === 1 ? 'purchase' : 'purchases'}`;
    const sentence = `${provider} has ${purchases} without an outcome, which only its present account knows`;
    throw new Refusal('conflict', sentence, { next: 'end_purchases', subject: provider });
  }
  await models.airtimeProduct.updateMany({ where: { provider, active: true }, data: { active: false } });
  await models.airtimeCatalogue.deleteMany({ where: { provider } });
}
