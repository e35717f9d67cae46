import { costInAnswer, type CostSettings } from '../cost/cost-settings.js';
import { type Cost, sumCosts } from '../cost/money.js';
import type { AnswerSettings, Outcome, OutcomeRule, Place } from './answer-settings.js';
import type { AskOutcome, AskSettings, HttpSettings } from './http-settings.js';
import { parseJson, textAt, valueAt } from './json-values.js';
import type { LookupOutcome, LookupSettings } from './lookup/lookup-settings.js';

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** What a call to a provider led to. */
export interface CallOutcome<O = Outcome> {
  readonly outcome: O;
  /** Of the message at the provider, if it was accepted. */
  readonly reference?: string;
  /** Of the other parts, if each part has its own. */
  readonly furtherReferences?: readonly string[];
  /** The cost in the answer, if the message was accepted. */
  readonly cost?: Cost | undefined;
  /** A code for programs. */
  readonly reason?: string;
  /** What the provider says, for operators. */
  readonly detail?: string;
}

/** Removes secrets. */
export type Mask = (text: string) => string;

const defaultReasons: Readonly<Record<Exclude<Outcome | AskOutcome, 'accepted'>, string>> = {
  failed: 'provider_error',
  transient: 'provider_unavailable',
  unknown: 'unclear_answer',
  throttled: 'throttled',
  account: 'provider_account',
  not_found: 'not_found',
};

/** Of the answers that no rule lists. Redirects are not followed: the URL is wrong. */
const statusRules: readonly OutcomeRule[] = [
  { status: '3xx', outcome: 'account' },
  { status: 401, outcome: 'account' },
  { status: 402, outcome: 'account' },
  // A firewall may refuse a single text with 403, so it does not mean that the account is at fault.
  { status: 403, outcome: 'transient', reason: 'provider_error' },
  { status: 408, outcome: 'unknown' },
  { status: 429, outcome: 'throttled' },
  { status: '4xx', outcome: 'failed' },
  { status: '5xx', outcome: 'unknown' },
];

const maxDetailLength = 300;

/** An answer, or the part of it that is about one message. */
interface AnswerPart extends Answer {
  readonly document: unknown;
}

interface Rules<O> {
  readonly answer: AnswerSettings;
  readonly listed: readonly OutcomeRule<O>[];
  /** For what is not listed. */
  readonly defaults: readonly OutcomeRule<O>[];
  /** Of a 2xx answer with a code that is neither accepted nor listed. */
  readonly unlistedCode: OutcomeRule<O>;
  readonly costs?: CostSettings | undefined;
}

/** Reads an answer as a whole. Pure. A 2xx answer that is neither listed nor readable may be an acceptance: `unknown`. */
export function readAnswer(settings: HttpSettings, given: Answer, mask?: Mask): CallOutcome {
  const whole = wholeOf(given);
  const { parts } = settings.answer;
  const list = parts === undefined ? undefined : valueAt(whole.document, parts);
  const rules = submitRules(settings);
  if (!Array.isArray(list) || list.length === 0) return readPart(rules, whole, mask);
  return joinParts(list.map((document) => readPart(rules, partOf(given, document), mask)));
}

/** If any part was accepted, or may have been, the message must not be sent again. */
function joinParts(parts: readonly CallOutcome[]): CallOutcome {
  const refused = parts.filter(({ outcome }) => outcome !== 'accepted');
  const [first = { outcome: 'unknown' }, ...others] = refused.length === 0 ? parts : refused;
  if (refused.length === 0 && others.length === 0) return first;
  if (refused.length === 0) {
    const furtherReferences = others.flatMap(({ reference }) => reference ?? []);
    return { ...first, furtherReferences, cost: sumCosts(parts.map(({ cost }) => cost)) };
  }
  if (refused.length < parts.length) return { ...first, outcome: 'unknown', reason: 'partly_accepted' };
  return refused.find(({ outcome }) => outcome === 'unknown') ?? first;
}

/**
 * Reads the result of each recipient. Pure. A recipient without a result may have been accepted: `unknown`.
 * @returns `undefined` if the answer has no results: it is about all recipients
 */
export function readItems(
  settings: HttpSettings,
  given: Answer,
  recipients: readonly string[],
  mask?: Mask,
): CallOutcome[] | undefined {
  const { items, recipient: place } = settings.answer;
  const list = items === undefined ? undefined : valueAt(parseJson(given.text), items);
  if (!Array.isArray(list) || list.length === 0) return undefined;
  const rules = submitRules(settings);
  const found = new Map(
    list.map((item) => [place === undefined ? '' : digitsOf(textAt(item, place)), item as unknown]),
  );
  return recipients.map((recipient, index) => {
    const inOrder = list.length === recipients.length ? (list[index] as unknown) : undefined;
    // A single result belongs to a single message, even if the provider formats the number differently.
    const isByPlace = place !== undefined && list.length + recipients.length > 2;
    const document = isByPlace ? found.get(digitsOf(recipient)) : inOrder;
    return document === undefined
      ? {
          outcome: 'unknown',
          reason: 'unreadable_answer',
          detail: `${given.status} no result for the recipient`,
        }
      : readPart(rules, partOf(given, document), mask);
  });
}

/** Reads an answer about an earlier request. Pure. */
export function readAskAnswer(
  { answer, outcomes: listed = [] }: AskSettings,
  given: Answer,
  mask?: Mask,
): CallOutcome<AskOutcome> {
  const rules: Rules<AskOutcome> = { answer, listed, defaults: [], unlistedCode: { outcome: 'unknown' } };
  const whole = wholeOf(given);
  const list = answer.items === undefined ? undefined : valueAt(whole.document, answer.items);
  if (!Array.isArray(list)) return readPart(rules, whole, mask);
  if (list.length === 0) return { outcome: isSuccess(given) ? 'not_found' : 'unknown' };
  return readPart(rules, partOf(given, list[0]), mask);
}

/** The number may be at fault, or the provider: another provider may know the number. */
const unlistedRefusal = { status: '4xx', outcome: 'transient', reason: 'unlisted_answer' } as const;

/** Reads an answer about a number. Pure. */
export const readLookupAnswer = (
  { answer = {}, outcomes: listed = [] }: Pick<LookupSettings, 'answer' | 'outcomes'>,
  given: Answer,
  mask?: Mask,
): CallOutcome<LookupOutcome> =>
  readPart<LookupOutcome>(
    {
      answer,
      listed,
      defaults: statusRules.map((rule) => (rule.outcome === 'failed' ? unlistedRefusal : rule)),
      unlistedCode: unlistedRefusal,
    },
    wholeOf(given),
    mask,
  );

const submitRules = ({ answer, outcomes: listed = [], cost: costs }: HttpSettings): Rules<Outcome> => ({
  answer,
  listed,
  defaults: statusRules,
  unlistedCode: { outcome: 'failed' },
  costs,
});

const wholeOf = ({ status, text }: Answer): AnswerPart => ({ status, text, document: parseJson(text) });

const partOf = ({ status }: Answer, document: unknown): AnswerPart => ({
  status,
  document,
  text: JSON.stringify(document),
});

/** @param mask applied before the detail is cut, so that no part of a secret is left */
function readPart<O extends Outcome | AskOutcome>(
  { answer, listed, defaults, unlistedCode, costs }: Rules<O>,
  part: AnswerPart,
  mask: Mask = (text) => text,
): CallOutcome<O | 'accepted' | 'unknown'> {
  const found = findValues(answer, part);
  const applies = (rule: OutcomeRule<O>): boolean =>
    isStatus(rule.status, part.status) &&
    (rule.code === undefined || rule.code.includes(found.code ?? '')) &&
    (rule.text === undefined || includesText(found.message ?? part.text, [rule.text].flat()));
  const rule = listed.find(applies) ?? unlisted(answer, found, part, unlistedCode) ?? defaults.find(applies);
  if (rule?.outcome === 'accepted') {
    const cost = costs && costInAnswer(costs, part.document);
    return {
      outcome: 'accepted',
      ...(found.reference !== undefined && { reference: found.reference }),
      ...(cost && { cost }),
    };
  }
  const outcome = rule?.outcome ?? 'unknown';
  const says = [found.code, found.message ?? (found.code === undefined ? part.text : undefined)];
  const detail = mask(says.filter((text) => text !== undefined && text !== '').join(': ')).slice(
    0,
    maxDetailLength,
  );
  // The provider, or a proxy in front of it, reports that there is no answer.
  const isUnanswered = outcome === 'unknown' && (part.status === 408 || part.status >= 500);
  return {
    outcome,
    reason:
      rule?.reason ?? (isUnanswered ? 'no_answer' : defaultReasons[outcome as keyof typeof defaultReasons]),
    detail: `${part.status} ${detail}`.trim(),
  };
}

/** Of a 2xx answer that no rule lists. */
function unlisted<O>(
  { accepted, reference }: AnswerSettings,
  found: FoundValues,
  part: AnswerPart,
  unlistedCode: OutcomeRule<O>,
): OutcomeRule<O | 'accepted' | 'unknown'> | undefined {
  if (!isSuccess(part)) return undefined;
  if (accepted && found.code !== undefined && !accepted.includes(found.code)) return unlistedCode;
  const isReadable =
    (accepted === undefined || found.code !== undefined) && (reference === undefined || found.hasReference);
  return isReadable ? { outcome: 'accepted' } : { outcome: 'unknown', reason: 'unreadable_answer' };
}

interface FoundValues {
  readonly code: string | undefined;
  readonly reference: string | undefined;
  readonly hasReference: boolean;
  readonly message: string | undefined;
}

/** Patterns are applied to the beginning of an answer only, because some take more than linear time. */
const maxMatched = 4_096;

function findValues(
  { code, reference, message }: AnswerSettings,
  { document, text }: AnswerPart,
): FoundValues {
  const find = (place: Place | undefined): string | undefined => {
    if (place === undefined) return undefined;
    if (typeof place === 'object') return new RegExp(place.match).exec(text.slice(0, maxMatched))?.[1];
    return textAt(document, place);
  };
  const [firstCode] = [code].flat().flatMap((place) => find(place) ?? []);
  const referenceText = find(reference) || undefined;
  const isRounded = typeof reference === 'string' && isRoundedInteger(valueAt(document, reference));
  return {
    code: firstCode,
    message: find(message),
    hasReference: referenceText !== undefined,
    reference: isRounded ? undefined : referenceText,
  };
}

/** JSON.parse rounds long integers: several messages could have the same one. */
const isRoundedInteger = (value: unknown): boolean => Number.isInteger(value) && !Number.isSafeInteger(value);

const isSuccess = ({ status }: Answer): boolean => status >= 200 && status <= 299;

const isStatus = (wanted: number | string | undefined, status: number): boolean =>
  wanted === undefined ||
  (typeof wanted === 'number' ? wanted === status : wanted.charAt(0) === String(status).charAt(0));

const includesText = (text: string, parts: readonly string[]): boolean =>
  parts.some((part) => text.toLowerCase().includes(part.toLowerCase()));

const digitsOf = (phone: string | undefined): string => (phone ?? '').replaceAll(/\D/g, '');
