import type { Reason } from '@gangan/contracts';
import { command, Database, sql, statement, t, unnest } from '@gangan/database';
import type { ReportedCost } from '@gangan/providers';
import { Injectable } from '@nestjs/common';
import { type AttemptCost, storeCosts } from '../outcome/reported-costs.js';
import { DeliveryMetrics } from '../outcome/delivery.metrics.js';
import { type DeliveryEventInput, OutcomeService } from '../outcome/outcome.service.js';
import { reportReason } from '../outcome/reasons.js';
import type { DeliveryEvent, ReportedState } from '../outcome/transition.js';
import { cleanReason, cleanReference, redactReason } from '../providers/provider-text.js';
import {
  isSuccess,
  type References,
  ReportedDeliveries,
  type ReportedDelivery,
} from './reported-deliveries.js';
import { type PartReport, ReportedParts } from './reported-parts.js';

/** What a provider reports later about a message that it accepted. */
export interface DeliveryReport extends References {
  /** `sent` is known from the submission, unless its answer was lost. */
  readonly state: 'sent' | ReportedState;
  readonly reason?: Reason | undefined;
  /** What the report says about the cost of the message, or of the part. */
  readonly cost?: ReportedCost | undefined;
}

/** Reports that are not stored anywhere but in their request. */
export interface Unapplied {
  /** Reports to receive again after the attempt. If it stays unanswered, our reference identifies them. */
  readonly early: ReadonlySet<DeliveryReport>;
  /** Reports whose reference is only ours and matches no delivery, or that of several deliveries. */
  readonly unmatched: ReadonlySet<DeliveryReport>;
}

/** How often a report is applied again, if its delivery has changed meanwhile. */
const maxTries = 3;

const nothing: Unapplied = { early: new Set(), unmatched: new Set() };

type FinalReport = DeliveryReport & { readonly state: ReportedState };

type Found = ReadonlyMap<FinalReport, ReportedDelivery>;

/** What all parts of a message together say, by the reference of a part. */
type Wholes = ReadonlyMap<string, PartReport>;

/** A report that matched no delivery when it arrived. */
type ParkedReport = FinalReport & { readonly providerReference: string };

/** A duplicate is stored once. Only the code is kept: the text of a provider could repeat a token. */
const park = command(
  (provider: string, reports: readonly ParkedReport[]) => sql`
    INSERT INTO parked_report (provider, provider_reference, state, error_code, cost_micros, cost_currency)
    SELECT ${provider}, provider_reference, state, code, cost_micros, cost_currency FROM ${unnest(
      'report',
      reports.map(parkedRow),
      {
        text: ['providerReference', 'code', 'costCurrency'],
        delivery_state: ['state'],
        bigint: ['costMicros'],
      },
    )}
    ON CONFLICT DO NOTHING`,
);

const parkedRow = ({ reason, cost, ...report }: ParkedReport) => ({
  ...report,
  costMicros: cost?.micros,
  costCurrency: cost?.currency,
  code: reason ? redactReason(reason).code : null,
});

/** Ended deliveries of which it was not known whether they arrived. An operator no longer has to decide about their charge. */
const keepCharged = command(
  (ids: readonly string[]) => sql`
    UPDATE delivery SET resolution = 'keep' WHERE id = ANY (ARRAY(
      SELECT id FROM delivery WHERE id = ANY (${ids}::uuid[]) AND resolution IS NULL
        AND (state::text = 'expired' AND error_code = 'no_answer' OR state::text = 'undelivered' AND unanswered_by IS NOT NULL)
      ORDER BY id FOR UPDATE))`,
);

/** In the order of arrival. */
const findParked = statement(
  {
    providerReference: t.text,
    state: t.enumOf<ReportedState>('delivery_state'),
    code: t.nullable(t.text),
    costMicros: t.nullable(t.bigint),
    costCurrency: t.nullable(t.text),
    receivedAt: t.timestamp,
  },
  (provider: string, references: readonly string[]) => sql`
    SELECT found.* FROM unnest(${references}::text[]) AS named (reference) CROSS JOIN LATERAL (
      SELECT provider_reference AS "providerReference", state, error_code AS code, cost_micros AS "costMicros",
        cost_currency::text AS "costCurrency", received_at AS "receivedAt"
      FROM parked_report WHERE provider = ${provider} AND provider_reference = named.reference LIMIT 10) found
    ORDER BY found."receivedAt"`,
);

const removeParked = command(
  (provider: string, references: readonly string[]) => sql`
    DELETE FROM parked_report WHERE provider = ${provider} AND provider_reference = ANY (${references}::text[])`,
);

/**
 * Reports can arrive early, late, twice or out of order: the first final one counts, and an early one is parked.
 * Only `read` can follow `delivered`.
 */
@Injectable()
export class ReportsService {
  constructor(
    private readonly database: Database,
    private readonly deliveries: ReportedDeliveries,
    private readonly parts: ReportedParts,
    private readonly outcomes: OutcomeService,
    private readonly metrics: DeliveryMetrics,
  ) {}

  /** @throws if a report could not be stored: the caller must deliver all of them again */
  async receive(provider: string, reports: readonly DeliveryReport[]): Promise<Unapplied> {
    const given = new Map(reports.map((report) => [clean(report), report]));
    const { unmatched, early, ambiguous } = await this.apply(provider, [...given.keys()].filter(isFinal));
    await this.deliveries.accept(
      provider,
      [...given.keys()].filter((report) => !isFinal(report)),
    );
    if (unmatched.length + ambiguous.length === 0) return nothing;
    this.metrics.parked.inc({ provider }, unmatched.length - early.length);
    const parked = unmatched.flatMap(({ providerReference, ...report }) =>
      providerReference === undefined ? [] : [{ ...report, providerReference }],
    );
    await this.database.run(park, provider, parked);
    // A worker may have stored the reference before it could see the parked report.
    await this.matchParked(
      provider,
      parked.map(({ providerReference }) => providerReference),
    );
    const givenOf = (some: readonly DeliveryReport[]) => new Set(some.flatMap((one) => given.get(one) ?? []));
    return {
      early: givenOf(early),
      unmatched: givenOf([
        ...ambiguous,
        ...unmatched.filter((one) => one.providerReference === undefined && !early.includes(one)),
      ]),
    };
  }

  /** Applies the parked reports of these references. Call it after the commit that stores the references. */
  async matchParked(provider: string, references: readonly string[]): Promise<void> {
    if (references.length === 0) return;
    const rows = await this.database.run(findParked, provider, references);
    const parked = rows.map(({ providerReference, state, code, costMicros, costCurrency }): ParkedReport => ({
      providerReference,
      state,
      cost: costMicros === null ? undefined : { micros: costMicros, currency: costCurrency ?? '' },
      reason: code === null ? undefined : reportReason(state, code),
    }));
    const unmatched = new Set<FinalReport>((await this.apply(provider, parked)).unmatched);
    const matched = parked.filter((report) => !unmatched.has(report));
    if (matched.length === 0) return;
    const known = matched.map(({ providerReference }) => providerReference);
    await this.database.run(removeParked, provider, known);
  }

  /** Applies reports. @returns those that were not applied */
  private async apply(
    provider: string,
    reports: readonly FinalReport[],
    tries = 1,
  ): Promise<Record<'unmatched' | 'early' | 'ambiguous', readonly FinalReport[]>> {
    if (reports.length === 0) return { unmatched: [], early: [], ambiguous: [] };
    const { found, early, ambiguous } = await this.deliveries.find(provider, reports);
    const wholes = await this.recordParts(provider, found);
    const decisive = decisiveOf(found, wholes);
    const first = new Map<string, readonly [FinalReport, ReportedDelivery]>();
    for (const [report, delivery] of decisive) {
      const known = first.get(delivery.id)?.[0];
      const isReadAfter = report.state === 'read' && known?.state === 'delivered';
      // Reports of one request may be in any order.
      const isSuccessAfter = known !== undefined && isSuccess(report.state) && !isSuccess(known.state);
      if (!known || isReadAfter || isSuccessAfter) first.set(delivery.id, [report, delivery]);
    }
    const changed = await this.outcomes.recordAll(
      [...first.values()].map(([report, delivery]): DeliveryEventInput => ({
        delivery,
        event: eventOf(delivery, report),
      })),
    );
    const isChanged = new Set(changed.map(({ id }) => id));
    const stored = new Set(
      [...first.values()].flatMap(([report, { id }]) => (isChanged.has(id) ? [report] : [])),
    );
    await this.storeCosts(
      [...found].filter(([report]) => !stored.has(report)),
      wholes,
    );
    const unchanged = [...first.values()].filter(([, { id }]) => !isChanged.has(id));
    const missed = unchanged.filter(
      ([{ state }, { state: before }]) => state === 'read' && before === 'sent',
    );
    const arrived = unchanged.filter(
      ([{ state }, { state: before }]) => isSuccess(state) && before !== 'delivered' && before !== 'read',
    );
    if (arrived.length > 0)
      await this.database.run(
        keepCharged,
        arrived.map(([, { id }]) => id),
      );
    if (missed.length > 0 && tries < maxTries)
      await this.apply(
        provider,
        missed.map(([report]) => report),
        tries + 1,
      );
    const unmatched = reports.filter((report) => !found.has(report) && !ambiguous.includes(report));
    return { unmatched, early, ambiguous };
  }

  private recordParts(provider: string, found: Found): Promise<Wholes> {
    const ofParts = [...found].flatMap(
      ([{ providerReference: reference = '', state, reason, cost }, { parts }]) =>
        parts > 1
          ? [
              {
                reference,
                state: isSuccess(state) ? 'delivered' : state,
                code: reason ? redactReason(reason).code : null,
                cost: cost ?? undefined,
              } as const,
            ]
          : [],
    );
    return this.parts.record(provider, ofParts);
  }

  /** Stores the costs in reports that did not change their delivery. */
  private async storeCosts(
    reports: readonly (readonly [FinalReport, ReportedDelivery])[],
    wholes: Wholes,
  ): Promise<void> {
    const costs = reports.flatMap(([report, { id, reportedAttempt, parts }]): AttemptCost[] => {
      const cost = parts > 1 ? wholes.get(report.providerReference ?? '')?.cost : report.cost;
      return cost === undefined || reportedAttempt === null ? [] : [{ id, reportedAttempt, cost }];
    });
    const first = new Map(costs.toReversed().map((one) => [`${one.id} ${one.reportedAttempt}`, one]));
    const ordered = [...first.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1));
    if (ordered.length > 0) await this.database.run(storeCosts, ordered);
  }
}

/** The reports that end their delivery. A success of any attempt counts, a failure only of the latest one. */
const decisiveOf = (found: Found, wholes: Wholes): (readonly [FinalReport, ReportedDelivery])[] =>
  [...found].flatMap(([report, delivery]) => {
    const decided = delivery.parts > 1 ? wholeOf(report, wholes.get(report.providerReference ?? '')) : report;
    const counts = decided && (isSuccess(decided.state) || delivery.isLatestAttempt);
    return counts ? [[decided, delivery] as const] : [];
  });

/** The report of a part, with what all parts together say. */
function wholeOf(report: FinalReport, whole: PartReport | undefined): FinalReport | undefined {
  if (!whole) return undefined;
  const { state, code, cost } = whole;
  if (state === report.state) return { ...report, cost };
  return { ...report, state, cost, reason: code === null ? undefined : reportReason(state, code) };
}

const clean = ({ providerReference, reference, state, reason, cost }: DeliveryReport): DeliveryReport => ({
  providerReference: cleanReference(providerReference),
  reference: reference?.toLowerCase(),
  state,
  reason: reason && cleanReason(reason),
  cost,
});

const isFinal = (report: DeliveryReport): report is FinalReport => report.state !== 'sent';

const eventOf = (
  { trafficClass, reportedAttempt }: ReportedDelivery,
  { state, reason, cost }: FinalReport,
): DeliveryEvent => ({
  type: 'reported',
  state,
  ...(reportedAttempt !== null && { attempt: reportedAttempt, cost }),
  reason: reason && trafficClass === 'otp' ? redactReason(reason) : reason,
});
