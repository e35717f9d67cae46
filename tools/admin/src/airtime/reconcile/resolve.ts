import type { Database } from '@gangan/database';
import type { AdminSession } from '../../session/session.js';
import { resolvePurchase } from '../resolve-purchase.js';

export interface ProvenOutcome {
  readonly id: string;
  readonly outcome: 'success' | 'failed';
  readonly kobo: bigint;
}

/**
 * Stores the outcomes that a statement proves, one after the other. A purchase that has got an outcome meanwhile, or that a worker
 * is submitting, is left as it is.
 */
export async function storeOutcomes(
  session: AdminSession,
  database: Database,
  provider: string,
  outcomes: readonly ProvenOutcome[],
): Promise<{ readonly stored: number; readonly pending: number }> {
  let [stored, pending] = [0, 0];
  await session.nameTarget();
  for (const { id, outcome } of outcomes) {
    const result = await resolvePurchase(
      database,
      id,
      outcome,
      provider,
      (await session.access()).principal.name,
      'airtime reconcile',
    );
    if (result?.state === 'done') stored += 1;
    if (result?.state === 'pending') pending += 1;
  }
  return { stored, pending };
}
