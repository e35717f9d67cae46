import type { ReportedCost } from '../../cost/reported-cost.js';
import { itemsAt } from '../inbound-document.js';
import { isTooLong } from '../incoming/name-length.js';
import { distinctFaults } from '../incoming/read-incoming.js';
import { textAt } from '../json-values.js';
import type { ReportRule, ReportSettings, ReportState } from './report-settings.js';

export interface FoundState {
  readonly state: ReportState;
  /** The code of the reason; only `undelivered` and `expired` have one. */
  readonly reason?: string;
}

/** What one report says about one message, or about one part of it. */
export interface ReadReport extends FoundState {
  /** The provider's reference. */
  readonly providerReference?: string;
  /** Our reference. */
  readonly reference?: string;
  /** Absent if it does not say what the message, or the part, cost. */
  readonly cost?: ReportedCost;
}

/** What an item that is a report says about the cost. */
export type ReadCost = (item: unknown, state: ReportState) => ReportedCost | undefined;

export interface ReadReports {
  readonly reports: readonly ReadReport[];
  /** Why something could not be read, without its values; empty if everything was read. */
  readonly faults: readonly string[];
}

/** More than fit into the largest request. */
const maxReports = 20_000;
const defaultReasons = { undelivered: 'provider_error', expired: 'validity_ended' } as const;

interface ReadOptions {
  /** The items that are incoming messages; a request that has some need not have reports. */
  readonly messages?: ReadonlySet<unknown>;
  readonly readCost?: ReadCost;
  /** Our reference in the address of the request. It counts for a single report: several may be about other messages. */
  readonly addressed?: string | undefined;
}

/** Reads the delivery reports of a request. Pure. */
export function readReports(
  settings: ReportSettings,
  document: unknown,
  { messages = new Set(), readCost = () => undefined, addressed }: ReadOptions = {},
): ReadReports {
  if (document === undefined) return { reports: [], faults: ['the body is not JSON'] };
  const items = itemsAt(document, settings.list)?.filter((item) => !messages.has(item));
  if (messages.size > 0 && (!items || settings.list === undefined)) return { reports: [], faults: [] };
  if (!items) return { reports: [], faults: [`there is no list at "${settings.list}"`] };
  if (items.length > maxReports)
    return { reports: [], faults: [`it has more than ${maxReports} reports: ${items.length}`] };
  const read = items.map((item) =>
    readReport(settings, item, readCost, items.length === 1 ? addressed : undefined),
  );
  return {
    reports: read.filter((report) => typeof report === 'object'),
    faults: distinctFaults(read.filter((report) => typeof report === 'string')),
  };
}

/** @returns the report, or why it cannot be read */
function readReport(
  settings: ReportSettings,
  item: unknown,
  readCost: ReadCost,
  addressed: string | undefined,
): ReadReport | string {
  const find = (place: string | undefined): string | undefined =>
    (place === undefined ? undefined : textAt(item, place)?.trim()) || undefined;
  const providerReference = find(settings.reference);
  const reference = find(settings.ownReference) ?? addressed;
  const status = find(settings.status);
  if (providerReference === undefined && reference === undefined) return 'a report has no reference';
  if (status === undefined) return 'a report has no status';
  const codes = [settings.code ?? []].flat().flatMap((place) => find(place) ?? []);
  const found = findState(settings.states, status, codes);
  if (typeof found === 'string') return found;
  const cost = readCost(item, found.state);
  return {
    ...(providerReference !== undefined && { providerReference }),
    ...(reference !== undefined && { reference }),
    ...found,
    ...(cost !== undefined && { cost }),
  };
}

/** @returns the state by the first rule that applies, or why there is none */
export function findState(
  states: readonly ReportRule[],
  status: string,
  codes: readonly string[],
): FoundState | string {
  if ([status, ...codes].some(isTooLong)) return 'the status or the code of a report is too long';
  const rule = states.find((candidate) => applies(candidate, status, codes));
  if (!rule) {
    const withCodes = codes.length > 0 ? ` with code "${codes.map(shown).join('", "')}"` : '';
    return `no rule lists the status "${shown(status)}"${withCodes}`;
  }
  const { state } = rule;
  return {
    state,
    ...((state === 'undelivered' || state === 'expired') && { reason: rule.reason ?? defaultReasons[state] }),
  };
}

/** The status as operators see it, who need it to complete the rules: without phone numbers and control characters. */
const shown = (text: string): string =>
  text
    .slice(0, 80)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, ' ')
    .replaceAll(/\d{7,}/g, '…');

function applies(rule: ReportRule, status: string, codes: readonly string[]): boolean {
  return (
    (rule.status === undefined || rule.status.some((listed) => isSame(listed, status))) &&
    (rule.code === undefined || rule.code.some((listed) => codes.some((code) => isSame(listed, code)))) &&
    (rule.text === undefined || status.toLowerCase().includes(rule.text.toLowerCase()))
  );
}

const isSame = (listed: string, given: string): boolean => listed.toLowerCase() === given.toLowerCase();
