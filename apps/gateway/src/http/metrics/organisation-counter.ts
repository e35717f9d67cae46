import { Counter, type Registry } from '@gangan/runtime';

const maxLabels = 100;
/** Organisations without a label that are compared with those that have one. */
const maxCandidates = 10_000;
/** Organisations that have lost their label, and whose numbers are kept. */
const maxFormer = 1_000;
const periodMs = 10 * 60_000;
const statuses = ['2xx', '4xx', '5xx'] as const;

interface Holder {
  /** By status, in the order of `statuses`. */
  readonly counts: number[];
  /** Requests since the last ranking. */
  recent: number;
}

const indexOf = (status: number): number => (status < 400 ? 0 : status < 500 ? 1 : 2);

/**
 * Counts requests by organisation, for at most 100 organisations at a time. All others share the label `other`. Each request
 * is counted under one label, and an organisation that gets a label again continues where it ended, so no number falls. Only
 * after 1,000 others have lost their labels too does it start at 0, which Prometheus takes for a restart.
 */
export class OrganisationCounter {
  private readonly holders = new Map<string, Holder>();
  private readonly other: Holder = { counts: statuses.map(() => 0), recent: 0 };
  /** Requests since the last ranking of organisations without a label. */
  private readonly candidates = new Map<string, number>();
  /** In the order in which they lost their labels. */
  private readonly former = new Map<string, number[]>();
  private rankedAt: number;

  /** @param now in milliseconds */
  constructor(
    registry: Registry,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.rankedAt = now();
    const collect = (): void => {
      this.rankIfDue();
      counter.reset();
      this.holders.forEach((holder, organisation) => {
        report(holder, organisation);
      });
      report(this.other, 'other');
    };
    const report = ({ counts }: Holder, organisation: string): void => {
      statuses.forEach((status, index) => {
        counter.inc({ organisation, status }, counts[index] ?? 0);
      });
    };
    const counter = new Counter({
      name: 'gangan_http_organisation_requests_total',
      help: 'Requests of the 100 most active organisations, and of all others together',
      labelNames: ['organisation', 'status'],
      registers: [registry],
      collect,
    });
  }

  add(organisation: string, status: number): void {
    const holder = this.holders.get(organisation) ?? this.labelIfFree(organisation);
    const { counts } = holder ?? this.other;
    const index = indexOf(status);
    counts[index] = (counts[index] ?? 0) + 1;
    if (holder) holder.recent += 1;
    else this.addCandidate(organisation);
  }

  private labelIfFree(organisation: string): Holder | undefined {
    return this.holders.size < maxLabels ? this.label(organisation, 0) : undefined;
  }

  private label(organisation: string, recent: number): Holder {
    const holder = { counts: this.former.get(organisation) ?? statuses.map(() => 0), recent };
    this.former.delete(organisation);
    this.holders.set(organisation, holder);
    return holder;
  }

  private addCandidate(organisation: string): void {
    const count = this.candidates.get(organisation);
    if (count !== undefined) this.candidates.set(organisation, count + 1);
    else if (this.candidates.size < maxCandidates) this.candidates.set(organisation, 1);
  }

  /** Gives the labels to the most active organisations. Among equals, those that have a label keep it. */
  private rankIfDue(): void {
    if (this.now() - this.rankedAt < periodMs) return;
    this.rankedAt = this.now();
    const ranked = [
      ...[...this.holders].map(([id, { recent }]) => [id, recent] as const),
      ...this.candidates,
    ].sort(([, a], [, b]) => b - a);
    for (const [id] of ranked.slice(maxLabels)) this.removeLabel(id);
    for (const [id, recent] of ranked.slice(0, maxLabels)) if (!this.holders.has(id)) this.label(id, recent);
    for (const holder of this.holders.values()) holder.recent = 0;
    this.candidates.clear();
  }

  private removeLabel(organisation: string): void {
    const holder = this.holders.get(organisation);
    if (!holder) return;
    this.holders.delete(organisation);
    this.former.set(organisation, holder.counts);
    const [oldest] = this.former.keys();
    if (this.former.size > maxFormer && oldest !== undefined) this.former.delete(oldest);
  }
}
