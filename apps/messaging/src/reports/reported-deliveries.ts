import { Database, sql, statement, t } from '@gangan/database';
import { isId } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { snapshotColumns, snapshotShape, type StoredSnapshot } from '../outcome/apply-transitions.js';
import { OutcomeService } from '../outcome/outcome.service.js';

/** How a report identifies its delivery. */
export interface References {
  readonly providerReference?: string | undefined;
  /** The delivery's id. */
  readonly reference?: string | undefined;
}

const findByProviderReference = statement(
  { reference: t.text, ...snapshotShape },
  (provider: string, references: readonly string[]) => sql`
    SELECT given.reference, found.* FROM unnest(${references}::text[]) AS given (reference) CROSS JOIN LATERAL (
      SELECT ${snapshotColumns} FROM delivery
      WHERE provider = ${provider} AND provider_reference = given.reference AND provider_reference IS NOT NULL
      LIMIT 1) found`,
);

/** Only deliveries whose last attempt went to this provider. */
const findById = statement(
  snapshotShape,
  (provider: string, ids: readonly string[]) => sql`
    SELECT found.* FROM unnest(${ids}::uuid[]) AS named (id) CROSS JOIN LATERAL (
      SELECT ${snapshotColumns} FROM delivery
      WHERE id = named.id AND provider = ${provider} AND state <> 'queued' LIMIT 1) found`,
);

/** If a provider's result was stored since, the delivery is read again. */
const maxRounds = 3;

/** Finds the deliveries that reports are about: by the provider's reference, or by ours where a provider repeats it. */
@Injectable()
export class ReportedDeliveries {
  constructor(
    private readonly database: Database,
    private readonly outcomes: OutcomeService,
  ) {}

  async find<T extends References>(
    provider: string,
    reports: readonly T[],
  ): Promise<ReadonlyMap<T, StoredSnapshot>> {
    const references = reports.flatMap(({ providerReference }) => providerReference ?? []);
    const rows = await this.database.run(findByProviderReference, provider, references);
    const theirs = new Map<string, StoredSnapshot>(rows.map((row) => [row.reference, row]));
    const others = reports.filter(({ providerReference }) => !theirs.has(providerReference ?? ''));
    const ours = await this.findByOwnReference(provider, others);
    return new Map(
      reports.flatMap((report) => {
        const found = theirs.get(report.providerReference ?? '') ?? ours.get(report.reference ?? '');
        return found ? [[report, found] as const] : [];
      }),
    );
  }

  /** A reported delivery was accepted, even if the provider's answer never arrived: it becomes `sent` first. */
  private async findByOwnReference(provider: string, reports: readonly References[]) {
    const byId = new Map(reports.map((report) => [report.reference ?? '', report]));
    const known = new Map<string, StoredSnapshot>();
    let open = [...byId.keys()].filter(isId);
    for (let round = 1; open.length > 0 && round <= maxRounds; round += 1) {
      const found = await this.database.run(findById, provider, open);
      const submitting = found.filter(({ state }) => state === 'submitting');
      // Not all: another worker may have stored the result since, or begun the next attempt.
      const changed = await this.outcomes.recordAll(
        submitting.map((delivery) => {
          const { providerReference } = byId.get(delivery.id) ?? {};
          return { delivery, event: { type: 'accepted', providerReference } };
        }),
      );
      const accepted = new Set(changed.map(({ id }) => id));
      for (const delivery of found) {
        if (delivery.state !== 'submitting') known.set(delivery.id, delivery);
        else if (accepted.has(delivery.id)) known.set(delivery.id, { ...delivery, state: 'sent' });
      }
      open = found.map(({ id }) => id).filter((id) => !known.has(id));
    }
    return known;
  }
}
