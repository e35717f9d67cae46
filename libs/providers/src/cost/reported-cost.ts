import { textAt } from '../http/json-values.js';
import { object, pointer } from '../http/schema.js';
import { costInAnswer, type CostSettings } from './cost-settings.js';
import type { Cost } from './money.js';

/** Where a report has what its message cost. */
export interface ReportCostSettings {
  readonly price: string;
  readonly priceCurrency?: string;
  /** Where the report has the number of parts of the message, if the price is that of one part. */
  readonly parts?: string;
}

/** What a report says about the cost; `null` if the message costs something, but it is not known how much. */
export type ReportedCost = Cost | null;

export const reportCostSchema = object(['price'], {
  price: pointer,
  priceCurrency: pointer,
  parts: pointer,
});

/** All faults of settings that have the right shape. */
export const findReportCostFaults = (
  { priceCurrency }: ReportCostSettings,
  cost: CostSettings | undefined,
): string[] =>
  priceCurrency === undefined && cost === undefined
    ? [
        'settings.reports.cost has no currency: give settings.cost.currency or settings.reports.cost.priceCurrency',
      ]
    : [];

/** @returns undefined if the report says nothing about the cost, or nothing that can be read */
export function costInReport(
  { parts, ...places }: ReportCostSettings,
  cost: Pick<CostSettings, 'currency'> | undefined,
  report: unknown,
): Cost | undefined {
  const stated = costInAnswer({ currency: cost?.currency, ...places }, report);
  if (parts === undefined || !stated) return stated;
  const count = textAt(report, parts) ?? '';
  return /^[1-9]\d?$/.test(count) ? { ...stated, micros: stated.micros * BigInt(count) } : undefined;
}
