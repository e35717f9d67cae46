import { Counter, type Registry } from '@gangan/runtime';

const maxLabels = 100;
/** Organisations whose requests are compared; those of all others count as `other`. */
const maxKnown = 11_000;
/** Organisations that have lost their label, and whose numbers are kept. */
const maxFormer = 1_000;
const periodMs = 10 * 60_000;
const statuses = ['2xx', '4xx', '5xx'] as const;

interface Requests {
  /** Requests while the organisation has a label, by status in the order of `statuses`. */
  readonly counts: number[];
  /** Requests since the last ranking, with or without a label. */
  recent: number;
  isLabelled: boolean;
}

const begin = (isLabelled: boolean): Requests => ({ counts: statuses.map(() => 0), recent: 0, isLabelled });

const indexOf = (status: number): number => (status < 400 ? 0 : status < 500 ? 1 : 2);

/**
 * Counts requests by organisation, for at most 100 organisations at a time. All others share the label `other`. Each request
 * is counted under one label, and an organisation that gets a label again continues where it ended, so no number falls. Only
 * if more than 1,000 have lost their labels do the first of them start at 0, which Prometheus takes for a restart.
 */
export class OrganisationCounter {
  private readonly organisations = new Map<string, Requests>();
  private readonly other = begin(true);
  private rankedAt: number;

  /** @param now in milliseconds */
  constructor(
    registry: Registry,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.rankedAt = now();
    const counter = new Counter({
      name: 'gangan_http_organisation_requests_total',
      help: 'Requests of the 100 most active organisations, and of all others together',
      labelNames: ['organisation', 'status'],
      registers: [registry],
      collect: () => {
        this.rankIfDue();
        counter.reset();
        for (const [organisation, { counts, isLabelled }] of [
          ...this.organisations,
          ['other', this.other] as const,
        ])
          if (isLabelled)
            for (const [index, status] of statuses.entries())
              counter.inc({ organisation, status }, counts[index] ?? 0);
      },
    });
  }

  add(organisation: string, status: number): void {
    const known = this.organisations.get(organisation) ?? this.begin(organisation);
    if (known) known.recent += 1;
    const { counts } = known?.isLabelled ? known : this.other;
    const index = indexOf(status);
    counts[index] = (counts[index] ?? 0) + 1;
  }

  private begin(organisation: string): Requests | undefined {
    const { size } = this.organisations;
    if (size >= maxKnown) return undefined;
    const requests = begin(size < maxLabels);
    this.organisations.set(organisation, requests);
    return requests;
  }

  /** Gives the labels to the most active organisations. Among equals, those that have a label keep it. */
  private rankIfDue(): void {
    if (this.now() - this.rankedAt < periodMs) return;
    this.rankedAt = this.now();
    const ranked = [...this.organisations.values()].sort(
      (a, b) => b.recent - a.recent || Number(b.isLabelled) - Number(a.isLabelled),
    );
    for (const [place, requests] of ranked.entries()) {
      requests.isLabelled = place < maxLabels;
      requests.recent = 0;
    }
    const unlabelled = [...this.organisations].filter(([, { isLabelled }]) => !isLabelled);
    const former = unlabelled.filter(([, { counts }]) => counts.some((count) => count > 0));
    const kept = new Set(former.slice(-maxFormer).map(([id]) => id));
    for (const [id] of unlabelled) if (!kept.has(id)) this.organisations.delete(id);
  }
}
