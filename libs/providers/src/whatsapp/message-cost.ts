import { costTableOf, type CostSettings } from '../cost/cost-settings.js';
import type { ReportedCost } from '../cost/reported-cost.js';
import type { ReportState } from '../http/reports/report-settings.js';
import { textAt, valueAt } from '../http/json-values.js';

/**
 * What a status says about the cost of its message. WhatsApp charges for delivered messages, by their category and by the
 * country of the number, and nothing in a free window. `pricing` is in one of the statuses `delivered` and `read`, and may be
 * in an earlier one. `billable` will be removed from a later version of the API: then the type says what is free.
 */
export function whatsAppCost(
  settings: CostSettings,
  status: unknown,
  state: ReportState,
): ReportedCost | undefined {
  if (state !== 'delivered' && state !== 'read') return undefined;
  // If `read` has none, `delivered` has it.
  if (valueAt(status, '/pricing') === undefined) return state === 'delivered' ? null : undefined;
  const isFree = textAt(status, '/pricing/type')?.startsWith('free_') ?? false;
  if (isFree || valueAt(status, '/pricing/billable') === false)
    return { micros: 0n, currency: settings.currency };
  const category = textAt(status, '/pricing/category')?.toLowerCase().replaceAll('-', '_');
  const recipient = `+${textAt(status, '/recipient_id') ?? ''}`;
  return costTableOf(settings).costOf(recipient, 1, category) ?? null;
}
