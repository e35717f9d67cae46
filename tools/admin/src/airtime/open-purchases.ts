import type { Models } from '@gangan/database';
import { CommandError } from '../session/errors.js';

/** Lines of `findDifferences` after which queries may reach another account, or none. */
const accountChange = /^(kind|domain|settings\.(url|tokenUrl|queryUrl|username)|secrets\.\w+):/;

export const changesAccount = (differences: readonly string[]): boolean =>
  differences.some((line) => accountChange.test(line));

/**
 * Another account does not know the purchases that were submitted to this one: they would be refunded although they may
 * have been delivered.
 * @throws CommandError while purchases wait for their outcome at the provider
 */
export async function refuseOpenPurchases(models: Models, provider: string): Promise<void> {
  const count = await models.airtimePurchase.count({
    where: { provider, state: { in: ['submitting', 'sent', 'error'] } },
  });
  if (count > 0)
    throw new CommandError(
      `${provider} has ${count} airtime ${count === 1 ? 'purchase' : 'purchases'} without an outcome, which only its present account knows. Run \`pnpm admin providers disable ${provider}\`, wait until they have ended (those in error: \`pnpm admin airtime unresolved\`), and try again; or add the other account under another name.`,
    );
}
