import type { InboundSettings } from '@gangan/contracts';
import { Ajv } from 'ajv';
import { type CostSettings, costSchema, findCostFaults } from '../cost/cost-settings.js';
import { findNames, requestPlaceholders } from './request/placeholders.js';
import { findInboundFaults, inboundSchema } from './reports/inbound-settings.js';
import { findReportFaults, reportSchema, type ReportSettings } from './reports/report-settings.js';
import { findRequestFaults } from './request/request-rules.js';
import { askSchema, requestSchema, type RequestSettings } from './request/request-settings.js';
import { listPointer, object, pointer, text } from './schema.js';

/** What an answer means. */
export const outcomes = ['accepted', 'failed', 'transient', 'unknown', 'throttled', 'account'] as const;
export type Outcome = (typeof outcomes)[number];

/** What an answer about an earlier request means. `not_found`: the provider never accepted the message. */
export const askOutcomes = ['accepted', 'failed', 'transient', 'unknown', 'not_found'] as const;
export type AskOutcome = (typeof askOutcomes)[number];

/** Where a value lies in an answer: a JSON pointer, or the first group of a regular expression over the text. */
export type Place = string | { readonly match: string };

/** The outcome of the answers that meet all of its conditions. */
export interface OutcomeRule<O = Outcome> {
  /** A status, or a class of them: `422`, `"5xx"`. */
  readonly status?: number | string;
  /** Codes in the answer. */
  readonly code?: readonly string[];
  /** Parts of the message, or of the whole answer if it has none; one is enough. Upper and lower case are the same. */
  readonly text?: string | readonly string[];
  readonly outcome: O;
  /** The reason that customers see. */
  readonly reason?: string;
}

export interface AnswerSettings {
  /** A list with one result per message. The other places are in a result. */
  readonly items?: string;
  /** A list with one result per part of a long message, in an answer to one message. The other places are in a result. */
  readonly parts?: string;
  /** Of a result: who the message is for. Without it the results have the order of the messages. */
  readonly recipient?: string;
  readonly code?: Place;
  /** The codes of a 2xx answer that mean accepted; absent if every 2xx answer does that no rule lists. */
  readonly accepted?: readonly string[];
  /** Of the message at the provider. An answer without it is not an acceptance. */
  readonly reference?: Place;
  /** What the provider says about an error. */
  readonly message?: Place;
}

/** How the provider is asked about a message by our reference. */
export interface AskSettings {
  /** Headers and credentials are those of the request for a message, and the host is if the URL begins with a slash. */
  readonly request: Pick<RequestSettings, 'method' | 'url' | 'headers' | 'json' | 'form'>;
  /** An empty list at `items` is `not_found`. What no rule lists and is not accepted is `unknown`. */
  readonly answer: Omit<AnswerSettings, 'recipient' | 'parts'>;
  readonly outcomes?: readonly OutcomeRule<AskOutcome>[];
}

/** Settings of the kind `http`. */
export interface HttpSettings {
  readonly request: RequestSettings;
  readonly answer: AnswerSettings;
  /** The first rule that applies decides. */
  readonly outcomes?: readonly OutcomeRule[];
  readonly ask?: AskSettings;
  readonly cost?: CostSettings;
  readonly timeoutMs?: number;
  /** Disables the guard against private and local addresses. */
  readonly allowPrivate?: boolean;
  /** What becomes of a message that may have been accepted: it waits for a report, or is sent again. */
  readonly unanswered?: 'wait' | 'resend';
  /** How delivery reports look; absent if the provider sends none. */
  readonly reports?: ReportSettings;
  /** How requests of the provider to us are verified, in addition to the token in their path. */
  readonly inbound?: InboundSettings;
}

const codes = { type: 'array', minItems: 1, items: { type: 'string' } };
const place = {
  type: ['string', 'object'],
  pattern: '^/',
  required: ['match'],
  properties: { match: { ...text, maxLength: 256 } },
  additionalProperties: false,
};
const rules = (allowed: readonly string[]): object => ({
  type: 'array',
  maxItems: 500,
  items: object(['outcome'], {
    status: { type: ['integer', 'string'], minimum: 200, maximum: 599, pattern: '^[2-5]xx$' },
    code: codes,
    text: { ...text, type: ['string', 'array'], minItems: 1, items: text },
    outcome: { enum: allowed },
    reason: { type: 'string', pattern: '^[a-z][a-z0-9_]{0,63}$' },
  }),
});
const answer = { items: listPointer, code: place, accepted: codes, reference: place, message: place };

const schema = object(['request', 'answer'], {
  request: requestSchema,
  answer: object([], { ...answer, parts: listPointer, recipient: pointer }),
  outcomes: rules(outcomes),
  ask: object(['request', 'answer'], {
    ...{ request: askSchema, answer: object([], answer), outcomes: rules(askOutcomes) },
  }),
  cost: costSchema,
  timeoutMs: { type: 'integer', minimum: 100, maximum: 60_000 },
  allowPrivate: { type: 'boolean' },
  unanswered: { enum: ['wait', 'resend'] },
  reports: reportSchema,
  inbound: inboundSchema,
});

const hasHttpShape = new Ajv({ allErrors: true, allowUnionTypes: true }).compile<HttpSettings>(schema);

/** All faults at once. Values are never quoted: they may be secrets. @param secrets the names of the given secrets */
export function findHttpFaults(settings: unknown, secrets: readonly string[]): string[] {
  if (!hasHttpShape(settings))
    return (hasHttpShape.errors ?? []).map(({ instancePath, message = '', params }) => {
      const named = params as { additionalProperty?: string; allowedValues?: readonly string[] };
      const detail = named.additionalProperty ?? named.allowedValues?.join(', ');
      return `settings${instancePath.replaceAll('/', '.')} ${message}${detail === undefined ? '' : `: ${detail}`}`;
    });
  return [
    ...requestFaults(settings, secrets),
    ...answerFaults('settings', settings),
    ...batchFaults(settings),
    ...(settings.ask ? askFaults(settings, settings.ask, secrets) : []),
    ...(settings.cost ? findCostFaults(settings.cost) : []),
    ...(settings.reports ? findReportFaults(settings.reports) : []),
    ...(settings.inbound ? findInboundFaults(settings.inbound, secrets) : []),
  ];
}

function requestFaults(settings: HttpSettings, secrets: readonly string[]): string[] {
  const { request, allowPrivate = false } = settings;
  const used = findNames(request);
  const usedAnywhere = findNames(settings);
  const context = { place: 'settings.request', placeholders: requestPlaceholders, secrets, allowPrivate };
  return [
    ...findRequestFaults(request, context),
    ...secrets
      .filter((name) => !usedAnywhere.includes(`secret.${name}`))
      .map((name) => `the secret ${name} is given, but the settings do not use {secret.${name}}`),
    ...(used.includes('text') ? [] : ['settings.request does not use {text}']),
    ...(used.some((name) => name.startsWith('recipient'))
      ? []
      : ['settings.request does not use {recipient}']),
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
    ...answerFaults('settings.ask', ask),
  ];
}

/** With the headers and credentials of the request for a message. */
export function askRequest(message: RequestSettings, { request }: AskSettings): RequestSettings {
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

function batchFaults({ request, answer: { items, parts, recipient } }: HttpSettings): string[] {
  return [
    ...(items !== undefined && parts !== undefined ? ['settings.answer has items and parts: give one'] : []),
    ...(request.batch && items === undefined
      ? ['settings.answer.items is missing: where a batch has its results']
      : []),
    ...(request.batch?.separator !== undefined && recipient === undefined
      ? ['settings.answer.recipient is missing: which result of a batch belongs to which recipient']
      : []),
  ];
}

function answerFaults(
  where: string,
  settings: { readonly answer: AnswerSettings; readonly outcomes?: readonly OutcomeRule<string>[] },
): string[] {
  const { answer: places, outcomes: listed = [] } = settings;
  const needsCode = places.accepted !== undefined || listed.some(({ code }) => code !== undefined);
  return [
    ...Object.entries(places).flatMap(([name, value]) =>
      typeof value === 'object' && 'match' in value && !isPattern((value as { match: string }).match)
        ? [`${where}.answer.${name}.match is not a regular expression with one group that is not repeated`]
        : [],
    ),
    ...(needsCode && places.code === undefined
      ? [`${where}.answer.code is missing, but codes are listed`]
      : []),
    ...listed.flatMap(({ status, code, text: part }, index) =>
      status === undefined && code === undefined && part === undefined
        ? [`${where}.outcomes.${index} has no condition: give status, code or text`]
        : [],
    ),
  ];
}

/** With a repeated group, such as `(\w+)*`, the time for an answer can grow exponentially with its length. */
function isPattern(source: string): boolean {
  const plain = source.replaceAll(/\\./gs, 'x').replaceAll(/\[[^[\]]*\]/g, 'x');
  if (/\)[*+{]/.test(plain)) return false;
  try {
    // An empty alternative matches, and so shows how many groups there are.
    return (new RegExp(`${source}|`).exec('') ?? []).length === 2;
  } catch {
    return false;
  }
}
