import { Ajv } from 'ajv';
import { findNames, messagePlaceholders } from './placeholders.js';
import { findInboundFaults, inboundSchema, type InboundSettings } from './reports/inbound-settings.js';
import { findReportFaults, reportSchema, type ReportSettings } from './reports/report-settings.js';
import { findHeaderFaults, findPlainSecrets, findUrlFaults } from './request-rules.js';

/** What an answer means. */
export const outcomes = ['accepted', 'failed', 'transient', 'unknown', 'throttled', 'account'] as const;
export type Outcome = (typeof outcomes)[number];

/** Where a value lies in an answer: a JSON pointer, or the first group of a regular expression over the text. */
export type Place = string | { readonly match: string };

/** The outcome of the answers that meet all of its conditions. */
export interface OutcomeRule {
  /** A status, or a class of them: `422`, `"5xx"`. */
  readonly status?: number | string;
  /** Codes in the answer. */
  readonly code?: readonly string[];
  /** Part of the message, or of the whole answer if it has none. Upper and lower case are the same. */
  readonly text?: string;
  readonly outcome: Outcome;
  /** The reason that customers see. */
  readonly reason?: string;
}

export interface RequestSettings {
  readonly method?: 'GET' | 'POST' | 'PUT';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly basic?: { readonly username: string; readonly password: string };
  readonly bearer?: string;
  /** At most one body. */
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>>;
  readonly text?: string;
}

export interface AnswerSettings {
  readonly code?: Place;
  /** The codes of a 2xx answer that mean accepted; absent if every 2xx answer does that no rule lists. */
  readonly accepted?: readonly string[];
  /** Of the message at the provider. An answer without it is not an acceptance. */
  readonly reference?: Place;
  /** What the provider says about an error. */
  readonly message?: Place;
}

/** Settings of the kind `http`. Strings of the request may contain placeholders. */
export interface HttpSettings {
  readonly request: RequestSettings;
  readonly answer: AnswerSettings;
  /** The first rule that applies decides. */
  readonly outcomes?: readonly OutcomeRule[];
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

const object = (required: readonly string[], properties: object): object => ({
  ...{ type: 'object', additionalProperties: false, required, properties },
});
const text = { type: 'string', minLength: 1, maxLength: 4_096 };
const texts = { type: 'object', additionalProperties: { type: 'string', maxLength: 4_096 } };
const codes = { type: 'array', minItems: 1, items: { type: 'string' } };
const place = {
  type: ['string', 'object'],
  pattern: '^/',
  required: ['match'],
  properties: { match: { ...text, maxLength: 256 } },
  additionalProperties: false,
};

const schema = object(['request', 'answer'], {
  request: object(['url'], {
    method: { enum: ['GET', 'POST', 'PUT'] },
    url: { ...text, pattern: '^https?://' },
    headers: texts,
    basic: object(['username', 'password'], { username: text, password: text }),
    bearer: text,
    json: {},
    form: texts,
    text,
  }),
  answer: object([], { code: place, accepted: codes, reference: place, message: place }),
  outcomes: {
    type: 'array',
    maxItems: 500,
    items: object(['outcome'], {
      status: { type: ['integer', 'string'], minimum: 200, maximum: 599, pattern: '^[2-5]xx$' },
      code: codes,
      text,
      outcome: { enum: outcomes },
      reason: { type: 'string', pattern: '^[a-z][a-z0-9_]{0,63}$' },
    }),
  },
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
    ...answerFaults(settings),
    ...(settings.reports ? findReportFaults(settings.reports) : []),
    ...(settings.inbound ? findInboundFaults(settings.inbound, secrets) : []),
  ];
}

function requestFaults(settings: HttpSettings, secrets: readonly string[]): string[] {
  const { request } = settings;
  const { headers = {}, basic, bearer, method = 'POST' } = request;
  const used = findNames(request);
  const usedAnywhere = [...used, ...findNames(settings.inbound)];
  const known = [...messagePlaceholders, ...secrets.map((name) => `secret.${name}`)];
  const bodies = (['json', 'form', 'text'] as const).filter((name) => request[name] !== undefined);
  return [
    ...[...new Set(used)]
      .filter((name) => !known.includes(name))
      .map((name) =>
        name.startsWith('secret.')
          ? `settings.request uses {${name}}, but the secret ${name.slice(7)} is not given`
          : `settings.request uses {${name}}, which is not a placeholder; use ${messagePlaceholders.join(', ')} or secret.NAME`,
      ),
    ...secrets
      .filter((name) => !usedAnywhere.includes(`secret.${name}`))
      .map((name) => `the secret ${name} is given, but settings.request does not use {secret.${name}}`),
    ...(bodies.length > 1 ? [`settings.request has ${bodies.join(' and ')}: give one body`] : []),
    ...(method === 'GET' && bodies.length > 0 ? ['settings.request.method GET cannot have a body'] : []),
    ...(basic && bearer !== undefined ? ['settings.request has basic and bearer: give one'] : []),
    ...(findNames([headers, basic, bearer]).includes('text')
      ? ['settings.request.headers cannot contain {text}']
      : []),
    ...findHeaderFaults(request),
    ...findPlainSecrets(request),
    ...findUrlFaults(settings, known),
    ...(used.includes('text') ? [] : ['settings.request does not use {text}']),
    ...(used.some((name) => name.startsWith('recipient'))
      ? []
      : ['settings.request does not use {recipient}']),
  ];
}

function answerFaults({ answer, outcomes: rules = [] }: HttpSettings): string[] {
  const needsCode = answer.accepted !== undefined || rules.some(({ code }) => code !== undefined);
  return [
    ...Object.entries(answer).flatMap(([name, where]) =>
      typeof where === 'object' && 'match' in where && !isPattern((where as { match: string }).match)
        ? [`settings.answer.${name}.match is not a regular expression with one group that is not repeated`]
        : [],
    ),
    ...(needsCode && answer.code === undefined
      ? ['settings.answer.code is missing, but codes are listed']
      : []),
    ...rules.flatMap(({ status, code, text: part }, index) =>
      status === undefined && code === undefined && part === undefined
        ? [`settings.outcomes.${index} has no condition: give status, code or text`]
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
