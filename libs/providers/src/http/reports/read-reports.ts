import { itemsAt } from '../inbound-document.js';
import { isTooLong } from '../incoming/name-length.js';
import { distinctFaults } from '../incoming/read-incoming.js';
import { textAt } from '../json-values.js';
import type { ReportRule, ReportSettings, ReportState } from './report-settings.js';

/** What one report says about one message, or about one part of it. */
export interface ReadReport {
  /** The provider's reference. */
  readonly providerReference?: string;
  /** Our reference. */
  readonly reference?: string;
  readonly state: ReportState;
  /** The code of the reason; only `undelivered` and `expired` have one. */
  readonly reason?: string;
}

export interface ReadReports {
  readonly reports: readonly ReadReport[];
  /** Why something could not be read, without its values; empty if everything was read. */
  readonly faults: readonly string[];
}

/** More than fit into the largest request. */
const maxReports = 20_000;
const defaultReasons = { undelivered: 'provider_error', expired: 'validity_ended' } as const;

/**
 * Reads the delivery reports of a request. Pure.
 * @param messages the items that are incoming messages; a request that has some need not have reports
 */
export function readReports(
  settings: ReportSettings,
  document: unknown,
  messages: ReadonlySet<unknown> = new Set(),
): ReadReports {
  if (document === undefined) return { reports: [], faults: ['the body is not JSON'] };
  const items = itemsAt(document, settings.list)?.filter((item) => !messages.has(item));
  if (messages.size > 0 && (!items || settings.list === undefined)) return { reports: [], faults: [] };
  if (!items) return { reports: [], faults: [`there is no list at "${settings.list}"`] };
  if (items.length > maxReports)
    return { reports: [], faults: [`it has more than ${maxReports} reports: ${items.length}`] };
  const read = items.map((item) => readReport(settings, item));
  return {
    reports: read.filter((report) => typeof report === 'object'),
    faults: distinctFaults(read.filter((report) => typeof report === 'string')),
  };
}

/** @returns the report, or why it cannot be read */
function readReport(settings: ReportSettings, item: unknown): ReadReport | string {
  const find = (place: string | undefined): string | undefined =>
    (place === undefined ? undefined : textAt(item, place)?.trim()) || undefined;
  const providerReference = find(settings.reference);
  const reference = find(settings.ownReference);
  const status = find(settings.status);
  if (providerReference === undefined && reference === undefined) return 'a report has no reference';
  if (status === undefined) return 'a report has no status';
  const codes = [settings.code ?? []].flat().flatMap((place) => find(place) ?? []);
  if ([status, ...codes].some(isTooLong)) return 'the status or the code of a report is too long';
  const rule = settings.states.find((candidate) => applies(candidate, status, codes));
  if (!rule) {
    const withCodes = codes.length > 0 ? ` with code "${codes.map(shown).join('", "')}"` : '';
    return `no rule lists the status "${shown(status)}"${withCodes}`;
  }
  const { state } = rule;
  return {
    ...(providerReference !== undefined && { providerReference }),
    ...(reference !== undefined && { reference }),
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
