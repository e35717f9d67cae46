import { parseQuietHours } from '@gangan/contracts';
import { findPatternFault, isPattern, type Pattern } from './pattern.js';
import { listPointer, object, text } from './schema.js';

/**
 * What an answer means. `refused`: this provider does not send the message, but another one may. `quiet`: nor does this one
 * before the `hours` of the rule end.
 */
export const outcomes = [
  'accepted',
  'failed',
  'refused',
  'quiet',
  'transient',
  'unknown',
  'throttled',
  'account',
] as const;
export type Outcome = (typeof outcomes)[number];

/** Where a value lies in an answer: a JSON pointer, or a pattern over the text. */
export type Place = string | Pattern;

/** The outcome of the answers that meet all of its conditions. */
export interface OutcomeRule<O = Outcome> {
  /** A status, or a class of them: `422`, `"5xx"`. */
  readonly status?: number | string;
  readonly code?: readonly string[];
  /** Parts of the message, or of the whole answer if it has none; one is enough. Upper and lower case are the same. */
  readonly text?: string | readonly string[];
  /** The hours in which the rule applies, such as `20:00-08:00 Africa/Lagos`. */
  readonly hours?: string;
  readonly outcome: O;
  /** The reason that customers see. */
  readonly reason?: string;
}

export interface AnswerSettings {
  /** A list with one result per message. The other places are in a result. */
  readonly items?: string;
  /** A list with one result per part of a long message, in an answer to one message. The other places are in a result. */
  readonly parts?: string;
  /** Where a result has its recipient, or our reference. Without either the results have the order of the messages. */
  readonly recipient?: string;
  readonly ownReference?: string;
  /** If there are several places, the first that has a value counts. */
  readonly code?: Place | readonly Place[];
  /** The codes of a 2xx answer that mean accepted; absent if every 2xx answer that no rule lists is an acceptance. */
  readonly accepted?: readonly string[];
  /** The provider's reference of the message, at the first place that has one. Without it, nothing was accepted. */
  readonly reference?: Place | readonly Place[];
  /** What the provider says about an error. */
  readonly message?: Place;
}

const codes = { type: 'array', minItems: 1, items: { type: 'string' } };
export const place = {
  type: ['string', 'object'],
  pattern: '^/',
  required: ['match'],
  properties: { match: { ...text, maxLength: 256 } },
  additionalProperties: false,
};

/** JSON Schema of the rules for outcomes. */
export const outcomeRules = (allowed: readonly string[]): object => ({
  type: 'array',
  maxItems: 500,
  items: object(['outcome'], {
    status: { type: ['integer', 'string'], minimum: 200, maximum: 599, pattern: '^[2-5]xx$' },
    code: codes,
    text: { ...text, type: ['string', 'array'], minItems: 1, items: text },
    hours: { type: 'string' },
    outcome: { enum: allowed },
    reason: { type: 'string', pattern: '^[a-z][a-z0-9_]{0,63}$' },
  }),
});

const places = { ...place, type: [...place.type, 'array'], minItems: 1, maxItems: 4, items: place };

/** JSON Schema of the places in an answer. */
export const answerPlaces = {
  items: listPointer,
  code: places,
  accepted: codes,
  reference: places,
  message: place,
};

/** The patterns that cannot be used, with the reasons. @param where the places stand, such as `settings.ask.answer` */
export const findPatternFaults = (where: string, places: object): string[] =>
  Object.entries(places).flatMap(([name, value]) =>
    [value as unknown].flat().flatMap((place) => {
      const fault = isPattern(place) ? findPatternFault(place) : undefined;
      return fault === undefined ? [] : [`${where}.${name}.match cannot be used: ${fault}`];
    }),
  );

/** The patterns in stored settings that this version cannot use. Other settings need not be valid. */
export function findRefusedPatterns(settings: unknown): string[] {
  const { answer, ask, credit, poll } = Object(settings) as Readonly<Record<string, unknown>>;
  const { answer: asked } = Object(ask) as { readonly answer?: unknown };
  const places = {
    'settings.answer': answer,
    'settings.ask.answer': asked,
    'settings.credit': credit,
    'settings.poll': poll,
  };
  return Object.entries(places).flatMap(([where, value]) =>
    findPatternFaults(where, Object(value) as object),
  );
}

/** All faults of settings that have the right shape. @param where they stand, such as `settings.ask` */
export function findAnswerFaults(
  where: string,
  settings: {
    readonly answer: AnswerSettings;
    readonly outcomes?: readonly OutcomeRule<string>[];
    readonly firstOutcomes?: readonly OutcomeRule<string>[];
  },
): string[] {
  const { answer: places, outcomes: listed = [], firstOutcomes: first = [] } = settings;
  const needsCode =
    places.accepted !== undefined || [...first, ...listed].some(({ code }) => code !== undefined);
  return [
    ...findPatternFaults(`${where}.answer`, places),
    ...(needsCode && places.code === undefined
      ? [`${where}.answer.code is missing, but codes are listed`]
      : []),
    ...findRuleFaults(`${where}.firstOutcomes`, first),
    ...findRuleFaults(`${where}.outcomes`, listed),
  ];
}

export const findRuleFaults = (where: string, rules: readonly OutcomeRule<string>[]): string[] =>
  rules.flatMap(({ status, code, text: part, hours, outcome }, index) => [
    ...(status === undefined && code === undefined && part === undefined
      ? [`${where}.${index} has no condition: give status, code or text`]
      : []),
    ...(hours !== undefined && !parseQuietHours(hours)
      ? [`${where}.${index}.hours must be two times and a time zone, such as 20:00-08:00 Africa/Lagos`]
      : []),
    ...(hours === undefined && outcome === 'quiet'
      ? [`${where}.${index}.hours is missing: quiet needs the hours in which the provider refuses messages`]
      : []),
  ]);
