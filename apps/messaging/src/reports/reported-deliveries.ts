import { Database, type RowOf, sql, statement, t } from '@gangan/database';
import { isId } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { groupBy } from '../grouping.js';
import { snapshotColumns, snapshotShape, type StoredSnapshot } from '../outcome/apply-transitions.js';
import { OutcomeService } from '../outcome/outcome.service.js';
import { RetryPolicies } from '../outcome/retry/retry-policy.js';
import type { ReportedState } from '../outcome/transition.js';
import { Providers } from '../providers/providers.js';

/** How a report identifies its delivery. */
export interface References {
  readonly providerReference?: string | undefined;
  /** The delivery's id. */
  readonly reference?: string | undefined;
}

/** A delivery, and what the reference of a report says about it. */
export interface ReportedDelivery extends StoredSnapshot {
  /** A report about an earlier attempt cannot end a delivery that was sent again, unless it was delivered. */
  readonly isLatestAttempt: boolean;
  /** The attempt that the report is about; `null` if it is not known. */
  readonly reportedAttempt: number | null;
  /** How many references the attempt has: each is reported on its own. */
  readonly parts: number;
}

/** More deliveries with the same reference are not read. */
const maxSharing = 20;

/**
 * The only reference of a first attempt is in its delivery, as are those of the simulator and of messages from earlier
 * versions. All others are in the table of references, which comes first here.
 */
const findReferenced = statement(
  {
    name: t.text,
    parts: t.int,
    isLatestAttempt: t.bool,
    reportedAttempt: t.nullable(t.int),
    ...snapshotShape,
  },
  (provider: string, references: readonly string[]) => sql`
    SELECT given.name, referenced.* FROM unnest(${references}::text[]) AS given (name) CROSS JOIN LATERAL (
      (SELECT parts.count::int AS parts, known.attempt = found.attempt AS "isLatestAttempt",
        known.attempt AS "reportedAttempt", found.*
      FROM (
        SELECT delivery_id, attempt FROM provider_reference
        WHERE provider = ${provider} AND reference = given.name LIMIT 1) known
      CROSS JOIN LATERAL (
        SELECT count(*) FROM provider_reference WHERE delivery_id = known.delivery_id AND attempt = known.attempt) parts
      CROSS JOIN LATERAL (SELECT ${snapshotColumns} FROM delivery WHERE id = known.delivery_id LIMIT 1) found)
      UNION ALL
      (SELECT 1, true, found.attempt, found.* FROM (
        SELECT ${snapshotColumns} FROM delivery
        WHERE provider = ${provider} AND provider_reference = given.name AND provider_reference IS NOT NULL
        LIMIT ${maxSharing}) found)) referenced`,
);

/** What is known about the deliveries of reports. */
export interface FoundDeliveries<T> {
  readonly found: ReadonlyMap<T, ReportedDelivery>;
  /**
   * Reports about one part of a message whose submission has no answer yet, because the answer names all parts; or about an
   * earlier submission, while another provider is being called.
   */
  readonly early: readonly T[];
  /** Reports whose reference the provider has given to several messages. */
  readonly ambiguous: readonly T[];
}

/** Finds only deliveries whose last attempt went to this provider, or an earlier one to which it gave no answer. */
const findById = statement(
  { isLeased: t.bool, isLatestAttempt: t.bool, reportedAttempt: t.nullable(t.int), ...snapshotShape },
  (provider: string, ids: readonly string[]) => sql`
    SELECT found.* FROM unnest(${ids}::uuid[]) AS named (id) CROSS JOIN LATERAL (
      SELECT lease_holder IS NOT NULL AND next_attempt_at > now() AS "isLeased",
        provider = ${provider} AS "isLatestAttempt", CASE WHEN provider = ${provider} THEN attempt ELSE (
          SELECT max(earlier.attempt) FROM delivery_attempt earlier
          WHERE earlier.delivery_id = delivery.id AND earlier.provider = ${provider}) END AS "reportedAttempt",
        ${snapshotColumns} FROM delivery
      WHERE id = named.id AND (provider = ${provider} OR ${provider} = ANY (unanswered_by)) AND state <> 'queued'
      LIMIT 1) found`,
);

/** A read message was delivered. */
export const isSuccess = (state: ReportedState): boolean => state === 'delivered' || state === 'read';

/** How often a delivery is read again because a provider's result was stored meanwhile. */
const maxTries = 3;

/** Finds the deliveries that reports are about: by the provider's reference, or by ours where a provider repeats it. */
@Injectable()
export class ReportedDeliveries {
  constructor(
    private readonly database: Database,
    private readonly providers: Providers,
    private readonly policies: RetryPolicies,
    private readonly outcomes: OutcomeService,
  ) {}

  async find<T extends References & { readonly state: ReportedState }>(
    provider: string,
    reports: readonly T[],
  ): Promise<FoundDeliveries<T>> {
    const names = reports.flatMap(({ providerReference }) => providerReference ?? []);
    const { theirs, ambiguous } = await this.findByProviderReference(provider, names);
    // A report about an earlier attempt can arrive while the delivery is sent again.
    const unanswered = reports.flatMap(({ state, providerReference = '' }) => {
      const delivery = isSuccess(state) ? theirs.get(providerReference) : undefined;
      return delivery?.state === 'submitting' ? [{ reference: delivery.id, state }] : [];
    });
    const others = reports.filter(({ providerReference }) => !theirs.has(providerReference ?? ''));
    const { ours, early } = await this.findByOwnReference(provider, [...others, ...unanswered]);
    // The answer may have been stored since, with the references of all parts.
    const answered = others.filter(({ reference = '' }) => ours.has(reference));
    const { theirs: late } = await this.findByProviderReference(
      provider,
      answered.flatMap(({ providerReference }) => providerReference ?? []),
    );
    const isEarly = ({ providerReference = '', reference = '' }: T): boolean =>
      early.has(theirs.get(providerReference)?.id ?? reference);
    const found = new Map(
      reports.flatMap((report) => {
        if (isEarly(report)) return [];
        const { providerReference: name = '', reference = '' } = report;
        const answer = late.get(name);
        const known = theirs.get(name) ?? (answer?.id === reference ? answer : undefined);
        const own = ours.get(known?.id ?? reference);
        if (!own) return known ? [[report, known] as const] : [];
        const { parts, isLatestAttempt, reportedAttempt } = known ?? { parts: 1, ...own };
        return [[report, { ...own, parts, isLatestAttempt, reportedAttempt }] as const];
      }),
    );
    return {
      found,
      early: reports.filter(isEarly),
      ambiguous: others.filter(
        (report) => ambiguous.has(report.providerReference ?? '') && !found.has(report),
      ),
    };
  }

  /**
   * A message that is on its way was accepted, even if the answer of the provider was lost: it is not sent again, and no
   * operator has to decide about its charge. While the provider is being called, its answer is awaited. If its final report
   * is lost, too, the provider is asked.
   */
  async accept(provider: string, reports: readonly References[]): Promise<void> {
    const byId = new Map(reports.map((report) => [report.reference ?? '', report]));
    const ids = [...byId.keys()].filter(isId);
    const found = ids.length > 0 ? await this.database.run(findById, provider, ids) : [];
    const unanswered = found.filter(
      ({ state, isLeased, isLatestAttempt }) => state === 'submitting' && !isLeased && isLatestAttempt,
    );
    const pollAfterMs = this.providers.pollSources().get(provider)?.afterMs;
    await this.outcomes.recordAll(
      unanswered.map((delivery) => {
        const { providerReference } = byId.get(delivery.id) ?? {};
        return {
          delivery,
          event: { type: 'accepted', provider, providerReference },
          policy: { ...this.policies.policyFor(delivery.trafficClass), pollAfterMs },
        };
      }),
    );
  }

  /** If several deliveries have one reference, a report is about the one that waits for a report, if there is only one. */
  private async findByProviderReference(provider: string, names: readonly string[]) {
    const theirs = new Map<string, ReportedDelivery>();
    const ambiguous = new Set<string>();
    if (names.length === 0) return { theirs, ambiguous };
    const stored = await this.database.run(findReferenced, provider, [...new Set(names)]);
    for (const [name, rows] of groupBy(stored, (row) => row.name)) {
      // The table of references takes precedence.
      const candidates = [...new Map(rows.toReversed().map((row) => [row.id, row])).values()];
      const waiting = candidates.filter(({ state }) => state === 'sent');
      const [delivery, second] = candidates.length === 1 ? candidates : waiting;
      if (delivery && !second && candidates.length < maxSharing) theirs.set(name, delivery);
      else ambiguous.add(name);
    }
    return { theirs, ambiguous };
  }

  /**
   * A reported delivery was accepted, even if the provider's answer never arrived: it becomes `sent` first. While the
   * provider is being called, only a report without its reference is about the whole message. If another provider has got
   * the delivery since, only a success counts, once the call of that provider has ended.
   */
  private async findByOwnReference(
    provider: string,
    reports: readonly (References & { readonly state: ReportedState })[],
  ) {
    const byId = new Map(reports.map((report) => [report.reference ?? '', report]));
    const succeeded = new Set(
      reports.filter(({ state }) => isSuccess(state)).map(({ reference }) => reference),
    );
    const ours = new Map<string, RowOf<typeof findById>>();
    const early = new Set<string>();
    let open = [...byId.keys()].filter(isId);
    for (let tries = 1; open.length > 0 && tries <= maxTries; tries += 1) {
      const found = await this.database.run(findById, provider, open);
      for (const { id, state, isLeased, isLatestAttempt } of found) {
        const isEarly = isLatestAttempt ? byId.get(id)?.providerReference !== undefined : succeeded.has(id);
        if (state === 'submitting' && isLeased && isEarly) early.add(id);
      }
      const submitting = found.filter(
        ({ id, state, isLatestAttempt }) =>
          state === 'submitting' && !early.has(id) && (isLatestAttempt || succeeded.has(id)),
      );
      const reported = new Set(submitting);
      // Some may not change: another worker may have stored the result since, or begun the next attempt.
      const changed = await this.outcomes.recordAll(
        submitting.map((delivery) => {
          const { providerReference } = byId.get(delivery.id) ?? {};
          const isEarlier = !delivery.isLatestAttempt;
          return { delivery, event: { type: 'accepted', provider, providerReference, isEarlier } };
        }),
      );
      const accepted = new Set(changed.map(({ id }) => id));
      for (const delivery of found) {
        if (!reported.has(delivery) && !early.has(delivery.id)) ours.set(delivery.id, delivery);
        else if (accepted.has(delivery.id)) ours.set(delivery.id, { ...delivery, state: 'sent' });
      }
      open = found.map(({ id }) => id).filter((id) => !ours.has(id) && !early.has(id));
    }
    return { ours, early };
  }
}
