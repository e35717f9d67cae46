import { lineTypes } from '@gangan/contracts';
import { type CostSettings, costSchema, findCostFaults } from '../../cost/cost-settings.js';
import {
  type AnswerSettings,
  answerPlaces,
  findAnswerFaults,
  type Outcome,
  type OutcomeRule,
  outcomeRules,
  outcomes,
} from '../answer-settings.js';
import type { ConnectionSettings } from '../http-exchange.js';
import { findNames } from '../request/placeholders.js';
import { findRequestFaults, findUnusedSecrets } from '../request/request-rules.js';
import { type RequestSettings, singleRequestSchema } from '../request/request-settings.js';
import { listPointer, object, Shape } from '../schema.js';
import type { LookupFinding } from './lookup-finding.js';

/** What an answer about a number means. `not_found`: the provider does not know the number. */
export type LookupOutcome = Outcome | 'not_found';

/** The placeholders of a request about a number. */
const lookupPlaceholders = ['phone', 'phone_digits', 'phone_national', 'country', 'timestamp'] as const;

/** Where a field lies in an answer, and what its values mean: `null` is unknown, `*` stands for all that are not listed. */
export interface FieldRule {
  /** A JSON pointer; `""` is the whole document. */
  readonly pointer: string;
  readonly values?: Readonly<Record<string, string | boolean | null>>;
}

/** Settings of the kind `http` for lookups. */
export interface LookupSettings extends ConnectionSettings {
  readonly request: Omit<RequestSettings, 'encodings' | 'batch'>;
  readonly answer?: Pick<AnswerSettings, 'code' | 'accepted' | 'message'>;
  /** The first rule that applies decides. */
  readonly outcomes?: readonly OutcomeRule<LookupOutcome>[];
  /** How an answer is read. Of several rules for a field, the first that gives a value counts. */
  readonly finding: Readonly<Partial<Record<keyof LookupFinding, FieldRule | readonly FieldRule[]>>>;
  /** What the provider charges for a call that it answers: `perPart` is for each call. */
  readonly cost?: CostSettings;
}

const field = (value: object): object => {
  const rule = object(['pointer'], {
    pointer: listPointer,
    values: { type: 'object', additionalProperties: value },
  });
  return { oneOf: [rule, { type: 'array', minItems: 1, maxItems: 10, items: rule }] };
};
const [name, flag] = [field({ type: ['string', 'null'] }), field({ type: ['boolean', 'null'] })];

const shape = new Shape<LookupSettings>(
  object(['request', 'finding'], {
    request: singleRequestSchema,
    answer: object([], {
      code: answerPlaces.code,
      accepted: answerPlaces.accepted,
      message: answerPlaces.message,
    }),
    outcomes: outcomeRules([...outcomes.filter((outcome) => outcome !== 'refused'), 'not_found']),
    finding: {
      ...object([], {
        operator: name,
        country: name,
        ported: flag,
        dnd: flag,
        roaming: flag,
        lineType: field({ enum: [...lineTypes, null] }),
      }),
      minProperties: 1,
    },
    cost: costSchema,
    timeoutMs: { type: 'integer', minimum: 100, maximum: 60_000 },
    allowPrivate: { type: 'boolean' },
  }),
);

/** All faults at once. Values are never quoted: they may be secrets. @param secrets the names of the given secrets */
export function findLookupFaults(settings: unknown, secrets: readonly string[]): string[] {
  if (!shape.fits(settings)) return shape.faultsOf(settings);
  const { request, answer = {}, outcomes: listed = [], allowPrivate = false } = settings;
  const context = { place: 'settings.request', placeholders: lookupPlaceholders, secrets, allowPrivate };
  return [
    ...findRequestFaults(request, context),
    ...findUnusedSecrets(settings, secrets),
    ...(findNames(request).some((used) => used.startsWith('phone'))
      ? []
      : ['settings.request does not use {phone}']),
    ...findAnswerFaults('settings', { answer, outcomes: listed }),
    ...(settings.cost ? findCostFaults(settings.cost) : []),
  ];
}
