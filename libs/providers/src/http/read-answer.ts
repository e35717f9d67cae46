import type { AnswerSettings, HttpSettings, Outcome, OutcomeRule, Place } from './http-settings.js';
import { parseJson, textAt, valueAt } from './json-values.js';

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** What a call to a provider led to. */
export interface CallOutcome {
  readonly outcome: Outcome;
  /** Of the message at the provider, if it was accepted. */
  readonly reference?: string;
  /** A code for programs. */
  readonly reason?: string;
  /** What the provider says, for operators. */
  readonly detail?: string;
}

const defaultReasons: Readonly<Record<Exclude<Outcome, 'accepted'>, string>> = {
  failed: 'provider_error',
  transient: 'provider_unavailable',
  unknown: 'no_answer',
  throttled: 'throttled',
  account: 'provider_account',
};

/** Of the answers that no rule lists. Redirects are not followed: the URL is wrong. */
const statusRules: readonly OutcomeRule[] = [
  { status: '3xx', outcome: 'account' },
  { status: 401, outcome: 'account' },
  { status: 402, outcome: 'account' },
  { status: 403, outcome: 'account' },
  { status: 408, outcome: 'unknown' },
  { status: 429, outcome: 'throttled' },
  { status: '4xx', outcome: 'failed' },
  { status: '5xx', outcome: 'unknown' },
];

const maxDetailLength = 300;

/**
 * Reads an answer. Pure. A 2xx answer that is neither listed nor readable may be an acceptance: `unknown`.
 * @param mask removes secrets; applied before the detail is cut, so that no part of a secret is left
 */
export function readAnswer(
  { answer, outcomes = [] }: HttpSettings,
  given: Answer,
  mask: (text: string) => string = (text) => text,
): CallOutcome {
  const found = findValues(answer, given.text);
  const parts = [found.code, found.message ?? (found.code === undefined ? given.text : undefined)];
  const detail = mask(parts.filter((part) => part !== undefined && part !== '').join(': ')).slice(
    0,
    maxDetailLength,
  );
  const applies = (rule: OutcomeRule): boolean =>
    isStatus(rule.status, given.status) &&
    (rule.code === undefined || rule.code.includes(found.code ?? '')) &&
    (rule.text === undefined || includesText(found.message ?? given.text, rule.text));
  const rule = outcomes.find(applies) ?? unlisted(answer, found, given) ?? statusRules.find(applies);
  if (rule?.outcome === 'accepted')
    return { outcome: 'accepted', ...(found.reference !== undefined && { reference: found.reference }) };
  const outcome = rule?.outcome ?? 'unknown';
  return {
    outcome,
    reason: rule?.reason ?? defaultReasons[outcome],
    detail: `${given.status} ${detail}`.trim(),
  };
}

/** Of a 2xx answer that no rule lists. */
function unlisted(
  { accepted, reference }: AnswerSettings,
  found: FoundValues,
  { status }: Answer,
): OutcomeRule | undefined {
  if (status < 200 || status > 299) return undefined;
  if (accepted && found.code !== undefined && !accepted.includes(found.code)) return { outcome: 'failed' };
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

/** Patterns of operators read only the beginning: some need time that grows faster than the text. */
const maxMatched = 4_096;

function findValues({ code, reference, message }: AnswerSettings, text: string): FoundValues {
  const document = parseJson(text);
  const find = (place: Place | undefined): string | undefined => {
    if (place === undefined) return undefined;
    if (typeof place === 'object') return new RegExp(place.match).exec(text.slice(0, maxMatched))?.[1];
    return textAt(document, place);
  };
  const referenceText = find(reference) || undefined;
  const isRounded = typeof reference === 'string' && isRoundedInteger(valueAt(document, reference));
  return {
    ...{ code: find(code), message: find(message), hasReference: referenceText !== undefined },
    reference: isRounded ? undefined : referenceText,
  };
}

/** JSON.parse rounds long integers: several messages could have the same one. */
const isRoundedInteger = (value: unknown): boolean => Number.isInteger(value) && !Number.isSafeInteger(value);

const isStatus = (wanted: number | string | undefined, status: number): boolean =>
  wanted === undefined ||
  (typeof wanted === 'number' ? wanted === status : wanted.charAt(0) === String(status).charAt(0));

const includesText = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase());
