import { sumCosts } from '../cost/money.js';
import { nationalNumberOf } from '../routes/parse-recipient.js';
import type { AnswerSettings, Outcome, OutcomeRule } from './answer-settings.js';
import type { AskOutcome, AskSettings, HttpSettings } from './http-settings.js';
import { parseExactJson, textAt, valueAt } from './json-values.js';
import type { LookupOutcome, LookupSettings } from './lookup/lookup-settings.js';
import type { Mask } from './mask.js';
import type { MessageValues } from './request/placeholders.js';
import {
  type Answer,
  type CallOutcome,
  isSuccess,
  partOf,
  readPart,
  type Rules,
  wholeOf,
} from './read-part.js';

/** The rules for answers that no other rule lists. Redirects are not followed: the URL is wrong. */
const statusRules: readonly OutcomeRule[] = [
  { status: '3xx', outcome: 'account' },
  { status: 401, outcome: 'account' },
  { status: 402, outcome: 'account' },
  { status: 403, outcome: 'account' },
  // The provider may have the message, from this request or an earlier one.
  { status: 408, outcome: 'unknown' },
  { status: 409, outcome: 'unknown' },
  { status: 425, outcome: 'unknown' },
  { status: 429, outcome: 'throttled' },
  { status: '4xx', outcome: 'refused' },
  // Not accepted. With any other 5xx, a proxy may have passed the request on.
  { status: 503, outcome: 'transient' },
  { status: '5xx', outcome: 'unknown' },
];

/**
 * Reads an answer as a whole. Pure. A 2xx answer that is neither listed nor readable may be an acceptance: `unknown`. If the
 * provider is overloaded, it may say for how long.
 */
export function readAnswer(settings: HttpSettings, given: Answer, mask?: Mask): CallOutcome {
  const outcome = readWhole(settings, given, mask);
  const isOverloaded =
    outcome.outcome === 'throttled' || (given.status === 503 && outcome.outcome === 'transient');
  return isOverloaded && given.retryAfterMs !== undefined
    ? { ...outcome, retryAfterMs: given.retryAfterMs }
    : outcome;
}

function readWhole(settings: HttpSettings, given: Answer, mask?: Mask): CallOutcome {
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
 * Reads the result of each message. Pure. A message without a result may have been accepted: `unknown`.
 * @returns `undefined` if the answer has no results: it is about all messages
 */
export function readItems(
  settings: HttpSettings,
  given: Answer,
  messages: readonly BatchedMessage[],
  mask?: Mask,
): CallOutcome[] | undefined {
  const { items } = settings.answer;
  const list = items === undefined ? undefined : valueAt(parseExactJson(given.text), items);
  if (!Array.isArray(list) || list.length === 0) return undefined;
  const rules = submitRules(settings);
  // A single result belongs to a single message, even if the provider formats the number differently.
  const keys = list.length + messages.length > 2 ? resultKeys(settings.answer) : undefined;
  const found = new Map(list.map((item: unknown) => [keys?.ofResult(item), item]));
  return messages.map((message, index) => {
    const inOrder = list.length === messages.length ? (list[index] as unknown) : undefined;
    const key = keys?.ofMessage(message).find((candidate) => found.has(candidate));
    const document = keys ? found.get(key) : inOrder;
    return document === undefined
      ? {
          outcome: 'unknown',
          reason: 'unreadable_answer',
          detail: `${given.status} no result for the message`,
        }
      : readPart(rules, partOf(given, document), mask);
  });
}

type BatchedMessage = Pick<MessageValues, 'recipient' | 'reference'>;

/** How results are matched with their messages. */
interface ResultKeys {
  ofResult(result: unknown): string | undefined;
  ofMessage(message: BatchedMessage): readonly string[];
}

/** `undefined` if results are in the order of the messages. */
function resultKeys({ recipient, ownReference }: AnswerSettings): ResultKeys | undefined {
  if (ownReference !== undefined)
    return {
      ofResult: (result) => textAt(result, ownReference),
      ofMessage: ({ reference }) => [reference],
    };
  if (recipient === undefined) return undefined;
  return {
    ofResult: (result) => digitsOf(textAt(result, recipient)),
    ofMessage: ({ recipient: phone }) => [digitsOf(phone), digitsOf(nationalNumberOf(phone))],
  };
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
      defaults: statusRules.map((rule) => (rule.outcome === 'refused' ? unlistedRefusal : rule)),
      unlistedCode: unlistedRefusal,
    },
    wholeOf(given),
    mask,
  );

const submitRules = ({
  answer,
  firstOutcomes = [],
  outcomes: listed = [],
  cost: costs,
}: HttpSettings): Rules<Outcome> => ({
  answer,
  listed: [...firstOutcomes, ...listed],
  defaults: statusRules,
  unlistedCode: { outcome: 'refused' },
  costs,
});

/** The digits without the prefix of international and national calls. */
const digitsOf = (phone = ''): string => phone.replaceAll(/\D/g, '').replace(/^0+/, '');
