import type { Outcome } from '../http/answer-settings.js';
import type { ReportRule } from '../http/reports/report-settings.js';

/** What error codes of the Cloud API mean. */
export interface ErrorRule {
  readonly code: readonly string[];
  readonly outcome: Exclude<Outcome, 'accepted' | 'quiet'>;
  /** The reason that customers see. */
  readonly reason?: string;
}

/** The reason of a message that may be sent when some time has passed since the last one to the same recipient. */
export const pairLimit = 'pair_limit';

const failed = (reason: string, codes: string): ErrorRule => ({
  code: codes.split(' '),
  outcome: 'failed',
  reason,
});
const refused = (reason: string, codes: string): ErrorRule => ({
  ...failed(reason, codes),
  outcome: 'refused',
});
const numbers = (first: number, last: number): string[] =>
  Array.from({ length: last - first + 1 }, (_, index) => String(first + index));

/**
 * The codes of https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes. A code means
 * the same in an answer and in a status `failed`; those of the administration of numbers and templates concern our account.
 * A code that is not listed has the meaning of its HTTP status.
 */
export const errorRules: readonly ErrorRule[] = [
  // The access token, its permissions, restrictions of the account, payment, registration of the number.
  {
    code: [
      ...['0', '3', '10', '33', '190', ...numbers(200, 299), '368', '1005', '131005', '131031', '131037'],
      ...['131042', '131045', '131048', '131064', '133000', '133005', '133006', '133008', '133009', '133010'],
      ...['133015', '133016', '134011'],
    ],
    outcome: 'account',
  },
  { code: ['4', '80007', '130429'], outcome: 'throttled' },
  { code: ['131056'], outcome: 'transient', reason: pairLimit },
  {
    code: ['2', '131016', '131057', '133004', '2494100'],
    outcome: 'transient',
    reason: 'provider_unavailable',
  },
  { code: ['1', '131000'], outcome: 'transient', reason: 'provider_error' },
  // Another number may reach them.
  { code: ['130497', '131030'], outcome: 'transient', reason: 'no_route' },
  failed('invalid_number', '131021 131026'),
  failed('recipient_blocked', '130403 131050'),
  failed('marketing_limit', '130472 131049 131063'),
  // A window belongs to a number, a template and its approval to an account: another provider may have them.
  refused('window_closed', '131047'),
  refused('template_unknown', '132001'),
  refused('template_paused', '132015'),
  refused('template_disabled', '132016'),
  refused('template_rejected', '132007'),
  failed('template_mismatch', '132000 132012 132018'),
  failed('too_long', '131001 132005'),
  failed('rejected', '100 131008 131009 131051 131052 131053 131055 132068 132069 134101 134102 135000'),
];

/** What error codes mean in the status of an accepted message. Customers need not know about our account. */
export const failureRules = (rules: readonly ErrorRule[]): ReportRule[] =>
  rules.map(({ code, outcome, reason }) => ({
    status: ['failed'],
    code,
    state: 'undelivered',
    reason:
      outcome === 'account' || outcome === 'throttled'
        ? 'provider_unavailable'
        : (reason ?? 'provider_error'),
  }));
