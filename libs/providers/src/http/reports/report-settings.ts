import { type ReportCostSettings, reportCostSchema } from '../../cost/reported-cost.js';

/** What a report says about a message. `sent`: it is still on its way. `read`: it was delivered, too. */
const reportStates = ['delivered', 'read', 'undelivered', 'expired', 'sent'] as const;
export type ReportState = (typeof reportStates)[number];

/** The state of the reports that meet all conditions. Case is ignored. */
export interface ReportRule {
  /** Statuses, as the provider writes them. */
  readonly status?: readonly string[];
  /** Error codes. */
  readonly code?: readonly string[];
  /** Part of the status. */
  readonly text?: string;
  readonly state: ReportState;
  /** The reason that customers see. */
  readonly reason?: string;
}

/**
 * JSON pointers to the parts of a delivery report. The fields of a form or query are read as an object, so `/status` is the
 * field `status`.
 */
export interface ReportSettings {
  /**
   * The list of reports in a JSON document; `""` is the document itself. `*` stands for every element of a list, as in
   * `/entry/*\/statuses`: then there may be no report. Absent if a request has one report.
   */
  readonly list?: string;
  /** The reference that the provider returned when it accepted the message. */
  readonly reference?: string;
  /** Our reference, if the provider repeats it. A report at the `{report_url}` of a message need not. */
  readonly ownReference?: string;
  readonly status: string;
  /** Where an error code is, or several: a rule applies if it lists one of them. */
  readonly code?: string | readonly string[];
  /** The first rule that applies decides. A report that no rule lists is kept, and changes nothing. */
  readonly states: readonly ReportRule[];
  /** Absent if reports do not say what a message cost. */
  readonly cost?: ReportCostSettings;
}

const texts = { type: 'array', minItems: 1, items: { type: 'string', minLength: 1, maxLength: 256 } };
const pointer = { type: 'string', pattern: '^/', maxLength: 256 };

/** JSON Schema of the rules. */
export const stateSchema = {
  type: 'array',
  minItems: 1,
  maxItems: 500,
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['state'],
    properties: {
      status: texts,
      code: texts,
      text: { type: 'string', minLength: 1, maxLength: 256 },
      state: { enum: reportStates },
      reason: { type: 'string', pattern: '^[a-z][a-z0-9_]{0,63}$' },
    },
  },
};

export const reportSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['status', 'states'],
  properties: {
    list: { ...pointer, pattern: '^(/|$)' },
    reference: pointer,
    ownReference: pointer,
    status: pointer,
    code: { ...pointer, type: ['string', 'array'], minItems: 1, maxItems: 4, items: pointer },
    cost: reportCostSchema,
    states: stateSchema,
  },
};

/** All faults of settings that have the right shape. @param hasReportUrl whether each message has an address of its own */
export function findReportFaults(
  { reference, ownReference, code, states }: ReportSettings,
  hasReportUrl = false,
): string[] {
  return [
    ...(reference === undefined && ownReference === undefined && !hasReportUrl
      ? [
          'settings.reports has no reference: give reference or ownReference, or use {report_url} in settings.request',
        ]
      : []),
    ...findStateFaults('settings.reports', states, code !== undefined),
  ];
}

/** @param where the rules stand, such as `settings.reports` */
export const findStateFaults = (where: string, states: readonly ReportRule[], hasCode: boolean): string[] => [
  ...states.flatMap((rule, index) =>
    rule.status === undefined && rule.code === undefined && rule.text === undefined
      ? [`${where}.states.${index} has no condition: give status, code or text`]
      : [],
  ),
  ...(!hasCode && states.some((rule) => rule.code !== undefined)
    ? [`${where}.code is missing, but codes are listed`]
    : []),
  ...states.flatMap(({ state, reason }, index) =>
    reason !== undefined && (state === 'delivered' || state === 'read' || state === 'sent')
      ? [`${where}.states.${index} has a reason, which only undelivered and expired can have`]
      : [],
  ),
];
