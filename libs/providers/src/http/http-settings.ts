import { type CostSettings, costSchema, findCostFaults } from '../cost/cost-settings.js';
import { type PageRule, pageRulesSchema } from '../cost/page-rules.js';
import { findReportCostFaults } from '../cost/reported-cost.js';
import { creditSchema, type CreditSettings, findCreditFaults } from '../credit/credit-settings.js';
import {
  type AnswerSettings,
  answerPlaces,
  findAnswerFaults,
  type OutcomeRule,
  outcomeRules,
  outcomes,
} from './answer-settings.js';
import { incomingSchema, type IncomingSettings } from './incoming/incoming-settings.js';
import { itemOf } from './request/batches.js';
import { findNames, requestPlaceholders } from './request/placeholders.js';
import { findInboundFaults, inboundSchema } from '../inbound/inbound-rules.js';
import type { InboundSettings } from '../inbound/inbound-settings.js';
import { findPollFaults, pollSchema, type PollSettings } from './reports/poll-settings.js';
import { findReportFaults, reportSchema, type ReportSettings } from './reports/report-settings.js';
import { findRequestFaults, findUnusedSecrets } from './request/request-rules.js';
import { askSchema, requestSchema, type RequestSettings } from './request/request-settings.js';
import { listPointer, object, pointer, Shape } from './schema.js';

/** What an answer about an earlier request means. `not_found`: the provider never accepted the message. */
const askOutcomes = ['accepted', 'failed', 'transient', 'unknown', 'not_found'] as const;
export type AskOutcome = (typeof askOutcomes)[number];

/** How the provider is asked about a message by our reference. */
export interface AskSettings {
  /** Has the headers and credentials of the request for a message, and its host if the URL begins with a slash. */
  readonly request: Pick<RequestSettings, 'method' | 'url' | 'headers' | 'json' | 'form'>;
  /** An empty list at `items` is `not_found`. What no rule lists and is not accepted is `unknown`. */
  readonly answer: Omit<AnswerSettings, 'recipient' | 'ownReference' | 'parts'>;
  readonly outcomes?: readonly OutcomeRule<AskOutcome>[];
}

export interface HttpSettings {
  readonly request: RequestSettings;
  readonly answer: AnswerSettings;
  /** The first rule that applies decides. */
  readonly outcomes?: readonly OutcomeRule[];
  /** Read before `outcomes`: rules of the operator in front of those of a preset. */
  readonly firstOutcomes?: readonly OutcomeRule[];
  readonly ask?: AskSettings;
  readonly cost?: CostSettings;
  /** How the provider counts the pages for which it charges, if not as we do. The first rule that is for a text counts. */
  readonly pageRules?: readonly PageRule[];
  /** Absent if the provider cannot be asked for our credit. */
  readonly credit?: CreditSettings;
  readonly timeoutMs?: number;
  /** Disables the guard against private and local addresses. */
  readonly allowPrivate?: boolean;
  /** Whether a message that may have been accepted waits for a report, or is sent again: by this provider or the next one. */
  readonly unanswered?: 'wait' | 'resend' | 'next';
  /** How delivery reports look; absent if the provider sends none. */
  readonly reports?: ReportSettings;
  /** How the provider is asked for the state of a message that it accepted; absent if it cannot be. */
  readonly poll?: PollSettings;
  /** How incoming messages look; absent if the provider sends none. */
  readonly incoming?: IncomingSettings;
  /** How requests from the provider are verified, in addition to the token in their path. */
  readonly inbound?: InboundSettings;
}

const shape = new Shape<HttpSettings>(
  object(['request', 'answer'], {
    request: requestSchema,
    answer: object([], { ...answerPlaces, parts: listPointer, recipient: pointer, ownReference: pointer }),
    outcomes: outcomeRules(outcomes),
    firstOutcomes: outcomeRules(outcomes),
    ask: object(['request', 'answer'], {
      request: askSchema,
      answer: object([], answerPlaces),
      outcomes: outcomeRules(askOutcomes),
    }),
    cost: costSchema,
    pageRules: pageRulesSchema,
    credit: creditSchema(askSchema),
    timeoutMs: { type: 'integer', minimum: 100, maximum: 60_000 },
    allowPrivate: { type: 'boolean' },
    unanswered: { enum: ['wait', 'resend', 'next'] },
    reports: reportSchema,
    poll: pollSchema,
    incoming: incomingSchema,
    inbound: inboundSchema,
  }),
);

/** All faults at once. Values are never quoted: they may be secrets. @param secrets the names of the given secrets */
export function findHttpFaults(settings: unknown, secrets: readonly string[]): string[] {
  if (!shape.fits(settings)) return shape.faultsOf(settings);
  return [
    ...requestFaults(settings, secrets),
    ...findAnswerFaults('settings', settings),
    ...batchFaults(settings),
    ...(settings.ask ? askFaults(settings, settings.ask, secrets) : []),
    ...(settings.cost ? findCostFaults(settings.cost, settings.reports?.cost !== undefined) : []),
    ...(settings.credit ? creditFaults(settings, settings.credit, secrets) : []),
    ...(settings.reports
      ? findReportFaults(settings.reports, findNames(settings.request).includes('report_url'))
      : []),
    ...(settings.reports?.cost ? findReportCostFaults(settings.reports.cost, settings.cost) : []),
    ...(settings.poll ? pollFaults(settings, settings.poll, secrets) : []),
    ...(settings.inbound ? findInboundFaults(settings.inbound, secrets) : []),
  ];
}

function requestFaults(settings: HttpSettings, secrets: readonly string[]): string[] {
  const { request, allowPrivate = false } = settings;
  const used = findNames(request);
  const context = { place: 'settings.request', placeholders: requestPlaceholders, secrets, allowPrivate };
  return [
    ...findRequestFaults(request, context),
    ...findUnusedSecrets(settings, secrets),
    ...(used.includes('text') ? [] : ['settings.request does not use {text}']),
    ...(used.some((name) => name.startsWith('recipient'))
      ? []
      : ['settings.request does not use {recipient}']),
    ...(used.includes('report_url') && !settings.reports
      ? ['settings.request uses {report_url}, but settings.reports does not say how reports look']
      : []),
  ];
}

function askFaults(settings: HttpSettings, ask: AskSettings, secrets: readonly string[]): string[] {
  const { allowPrivate = false } = settings;
  const context = {
    place: 'settings.ask.request',
    placeholders: ['reference', 'timestamp'],
    secrets,
    allowPrivate,
  };
  return [
    ...findRequestFaults(askRequest(settings.request, ask), context),
    ...(findNames(settings.request).includes('reference')
      ? []
      : ['settings.ask needs {reference} in settings.request']),
    ...(findNames(ask.request).includes('reference')
      ? []
      : ['settings.ask.request does not use {reference}']),
    ...findAnswerFaults('settings.ask', ask),
  ];
}

function pollFaults(settings: HttpSettings, poll: PollSettings, secrets: readonly string[]): string[] {
  const { request, reports, allowPrivate = false } = settings;
  const placeholders = ['provider_reference', 'timestamp'];
  const context = { place: 'settings.poll.request', placeholders, secrets, allowPrivate };
  return [
    ...findRequestFaults(askRequest(request, poll), context),
    ...findPollFaults(poll, reports !== undefined),
  ];
}

function creditFaults(settings: HttpSettings, credit: CreditSettings, secrets: readonly string[]): string[] {
  const { request, allowPrivate = false } = settings;
  const placeholders = ['timestamp', ...Object.keys(formValues(request))];
  const context = { place: 'settings.credit.request', placeholders, secrets, allowPrivate };
  return [...findRequestFaults(askRequest(request, credit), context), ...findCreditFaults(credit)];
}

/** The fields of the request for a message that are the same for every message, as `form.NAME`. */
export const formValues = ({ form = {} }: RequestSettings): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(form)
      .filter(([, value]) => findNames(value).every((name) => name.startsWith('your_')))
      .map(([name, value]) => [`form.${name}`, value]),
  );

/** The request to ask, with the headers and credentials of the request for a message. */
export function askRequest(
  message: RequestSettings,
  { request }: Pick<AskSettings, 'request'>,
): RequestSettings {
  const { headers, basic, bearer, oauth2, hmac } = message;
  return {
    method: 'GET',
    ...(basic && { basic }),
    ...(bearer !== undefined && { bearer }),
    ...(oauth2 && { oauth2 }),
    ...(hmac && { hmac }),
    ...request,
    url: request.url.startsWith('/') ? originOf(message.url) + request.url : request.url,
    headers: { ...headers, ...request.headers },
  };
}

const originOf = (url: string): string => /^https?:\/\/[^/?#]*/.exec(url)?.[0] ?? '';

function batchFaults({ request, answer: { items, parts, recipient, ownReference } }: HttpSettings): string[] {
  return [
    ...(recipient !== undefined && ownReference !== undefined
      ? ['settings.answer has recipient and ownReference: give one']
      : []),
    ...(ownReference !== undefined && !findNames(itemOf(request)).includes('reference')
      ? ['settings.answer.ownReference needs {reference} in the list at settings.request.batch.items']
      : []),
    ...(items !== undefined && parts !== undefined ? ['settings.answer has items and parts: give one'] : []),
    ...(request.batch && items === undefined
      ? ['settings.answer.items is missing: where a batch has its results']
      : []),
    ...(request.batch?.separator !== undefined && recipient === undefined
      ? ['settings.answer.recipient is missing: which result of a batch belongs to which recipient']
      : []),
  ];
}
