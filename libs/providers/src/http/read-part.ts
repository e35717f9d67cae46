import { parseQuietHours, quietUntil } from '@gangan/contracts';
import { costInAnswer, type CostSettings } from '../cost/cost-settings.js';
import type { Cost } from '../cost/money.js';
import type { AnswerSettings, Outcome, OutcomeRule, Place } from './answer-settings.js';
import type { AskOutcome } from './http-settings.js';
import { parseExactJson, textAt } from './json-values.js';
import type { Mask } from './mask.js';
import { isPattern, matchPattern } from './pattern.js';

export interface Answer {
  readonly status: number;
  readonly text: string;
  /** When the answer arrived. Rules with `hours` apply only if it is known. */
  readonly receivedAt?: Date;
  /** The delay that its header `Retry-After` asks for. */
  readonly retryAfterMs?: number | undefined;
}

/** What a call to a provider led to. */
export interface CallOutcome<O = Outcome> {
  readonly outcome: O;
  /** The provider's reference of the message, if it was accepted. */
  readonly reference?: string;
  /** The references of the other parts, if each part has its own. */
  readonly furtherReferences?: readonly string[];
  /** The cost in the answer, if the message was accepted. */
  readonly cost?: Cost | undefined;
  /** The end of the hours of the rule, if the outcome is `quiet`. */
  readonly quietUntil?: Date;
  /** A code for programs. */
  readonly reason?: string;
  /** What the provider says, for operators. */
  readonly detail?: string;
  /** For how long the provider wants no messages, if it says so. */
  readonly retryAfterMs?: number;
}

/** An answer, or the part of it that is about one message. */
interface AnswerPart extends Answer {
  readonly document: unknown;
}

export interface Rules<O> {
  readonly answer: AnswerSettings;
  readonly listed: readonly OutcomeRule<O>[];
  /** The rules for answers that are not listed. */
  readonly defaults: readonly OutcomeRule<O>[];
  /** The rule for a 2xx answer with a code that is neither accepted nor listed. */
  readonly unlistedCode: OutcomeRule<O>;
  readonly costs?: CostSettings | undefined;
}

const defaultReasons: Readonly<Record<Exclude<Outcome | AskOutcome, 'accepted'>, string>> = {
  failed: 'provider_error',
  refused: 'provider_error',
  quiet: 'quiet_hours',
  transient: 'provider_unavailable',
  unknown: 'unclear_answer',
  throttled: 'throttled',
  account: 'provider_account',
  not_found: 'not_found',
};

const maxDetailLength = 300;

export const wholeOf = (answer: Answer): AnswerPart => ({ ...answer, document: parseExactJson(answer.text) });

export const partOf = (answer: Answer, document: unknown): AnswerPart => ({
  ...answer,
  document,
  text: JSON.stringify(document),
});

/** @param mask applied before the detail is cut, so that no part of a secret is left */
export function readPart<O extends Outcome | AskOutcome>(
  { answer, listed, defaults, unlistedCode, costs }: Rules<O>,
  part: AnswerPart,
  mask: Mask = (text) => text,
): CallOutcome<O | 'accepted' | 'unknown'> {
  const found = findValues(answer, part);
  const applies = (rule: OutcomeRule<O>): boolean =>
    isStatus(rule.status, part.status) &&
    (rule.code === undefined || rule.code.includes(found.code ?? '')) &&
    (rule.text === undefined || includesText(found.message ?? part.text, [rule.text].flat())) &&
    (rule.hours === undefined || endOfHours(rule, part) !== undefined);
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
  const end = rule && outcome === 'quiet' ? endOfHours(rule, part) : undefined;
  return {
    outcome,
    ...(end && { quietUntil: end }),
    reason:
      rule?.reason ?? (isUnanswered ? 'no_answer' : defaultReasons[outcome as keyof typeof defaultReasons]),
    detail: `${part.status} ${detail}`.trim(),
  };
}

/** Undefined if the answer did not arrive in the hours of the rule. */
function endOfHours({ hours = '' }: { readonly hours?: string }, { receivedAt }: Answer): Date | undefined {
  const parsed = parseQuietHours(hours);
  return parsed && receivedAt && quietUntil([parsed], receivedAt);
}

/** The rule for a 2xx answer that no other rule lists. */
function unlisted<O>(
  { accepted, reference }: AnswerSettings,
  found: FoundValues,
  part: AnswerPart,
  unlistedCode: OutcomeRule<O>,
): OutcomeRule<O | 'accepted' | 'unknown'> | undefined {
  if (!isSuccess(part)) return undefined;
  if (accepted && found.code !== undefined && !accepted.includes(found.code)) return unlistedCode;
  const isReadable =
    (accepted === undefined || found.code !== undefined) &&
    (reference === undefined || found.reference !== undefined);
  return isReadable ? { outcome: 'accepted' } : { outcome: 'unknown', reason: 'unreadable_answer' };
}

/** The value at a place of an answer. */
export const readPlace = (place: Place, { document, text }: AnswerPart): string | undefined =>
  isPattern(place) ? matchPattern(place, text) : textAt(document, place);

interface FoundValues {
  readonly code: string | undefined;
  readonly reference: string | undefined;
  readonly message: string | undefined;
}

function findValues({ code, reference, message }: AnswerSettings, part: AnswerPart): FoundValues {
  const find = (places: Place | readonly Place[] = []): readonly string[] =>
    [places].flat().flatMap((place) => readPlace(place, part) ?? []);
  return {
    code: find(code)[0],
    message: find(message)[0],
    reference: find(reference).find((name) => name !== ''),
  };
}

export const isSuccess = ({ status }: Answer): boolean => status >= 200 && status <= 299;

const isStatus = (wanted: number | string | undefined, status: number): boolean =>
  wanted === undefined ||
  (typeof wanted === 'number' ? wanted === status : wanted.charAt(0) === String(status).charAt(0));

const includesText = (text: string, parts: readonly string[]): boolean =>
  parts.some((part) => text.toLowerCase().includes(part.toLowerCase()));
