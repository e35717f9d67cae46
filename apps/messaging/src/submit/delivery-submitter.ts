import type { Reason } from '@gangan/contracts';
import type { Admission } from '@gangan/providers';
import { Injectable } from '@nestjs/common';
import { awaitAll } from '../grouping.js';
import { OutcomeService } from '../outcome/outcome.service.js';
import { noAnswer, unreadable, windowClosed } from '../outcome/reasons.js';
import {
  type AskResult,
  type MessageProvider,
  shownTo,
  type Submission,
} from '../providers/message-provider.js';
import { ReportsService } from '../reports/reports.service.js';
import { BlockedRecipients } from './blocked-recipients.js';
import { ClosedWindows } from './closed-windows.js';
import { type ClaimedDelivery, ClaimsRepository, type DueDelivery } from './claims.repository.js';
import { MessageBodies } from './message-bodies.js';
import { ProviderCalls } from './provider-calls.js';
import { Router } from './routing.js';
import { eventsOf, failed, notSent, type SubmitEvent, withoutBody } from './submit-events.js';

/** A claimed delivery, and what its provider gets. */
export interface ReadyDelivery {
  readonly delivery: ClaimedDelivery;
  readonly submission: Submission;
}

/** Whether the provider may have accepted an earlier attempt. */
const mayHave = ({ name }: MessageProvider, { outcomeUnknown, provider }: DueDelivery): boolean =>
  outcomeUnknown && provider === name;

/** Claims deliveries, then submits them. After a crash, a delivery that its provider has accepted is not sent again. */
@Injectable()
export class DeliverySubmitter {
  constructor(
    private readonly claims: ClaimsRepository,
    private readonly bodies: MessageBodies,
    private readonly blockedRecipients: BlockedRecipients,
    private readonly closedWindows: ClosedWindows,
    private readonly router: Router,
    private readonly calls: ProviderCalls,
    private readonly outcomes: OutcomeService,
    private readonly reports: ReportsService,
  ) {}

  /**
   * Submits deliveries of any organisations. Recipients on the DND list, who opted out, or whose window has closed, are
   * rejected before a claim; no provider is called for them. If the provider can be asked about an earlier attempt, it is asked first.
   * @param onClaimed called when the claim has ended, with the deliveries that were to be claimed
   * @returns the organisations of those that can be tried again at once
   */
  async submit(
    provider: MessageProvider,
    admission: Admission,
    due: readonly DueDelivery[],
    onClaimed: (deliveries: readonly DueDelivery[]) => void,
  ): Promise<ReadonlySet<string>> {
    const blocked = await this.findBlocked(due);
    const mustBeAsked = (delivery: DueDelivery): boolean =>
      mayHave(provider, delivery) && provider.ask !== undefined;
    const rejected = due.flatMap((delivery): SubmitEvent[] => {
      const reason = blocked.get(delivery.id);
      return reason && !mustBeAsked(delivery) ? [[delivery, { type: 'blocked', reason }]] : [];
    });
    const rejectedIds = new Set(rejected.map(([{ id }]) => id));
    const allowed = due.filter(({ id }) => !rejectedIds.has(id));
    const [retryable] = await awaitAll([
      this.claimAndSubmit(provider, admission, allowed, blocked, () => {
        onClaimed(allowed);
      }),
      this.record(rejected, provider),
    ]);
    return retryable;
  }

  /**
   * Submits deliveries that this worker has claimed, of any organisations.
   * @param leasedAt when the first of them was claimed
   * @returns the organisations of those that can be tried again at once
   */
  async submitClaimed(
    provider: MessageProvider,
    admission: Admission,
    ready: readonly ReadyDelivery[],
    leasedAt: number,
  ): Promise<ReadonlySet<string>> {
    return this.recordResults(provider, await this.submitReady(provider, admission, ready, leasedAt));
  }

  /**
   * @param called the provider, if one was called
   * @returns the organisations of those that can be tried again at once
   * @throws if nothing could be stored
   */
  async record(events: readonly SubmitEvent[], called?: MessageProvider): Promise<ReadonlySet<string>> {
    const { deliveries, failures } = await this.outcomes.record(
      events.map(([delivery, event]) => ({
        delivery,
        event,
        policy: this.router.policyFor(delivery, called),
      })),
    );
    if (deliveries.length === 0 && failures.length > 0) throw failures[0] as Error;
    const retryable = deliveries.filter(({ delayMs }) => delayMs === 0);
    return new Set(retryable.map(({ organisationId }) => organisationId));
  }

  private async findBlocked(due: readonly DueDelivery[]): Promise<ReadonlyMap<string, Reason>> {
    const blocked = await this.blockedRecipients.find(due);
    const closed = await this.closedWindows.find(due);
    if (closed.size === 0) return blocked;
    return new Map([...[...closed].map(({ id }) => [id, windowClosed] as const), ...blocked]);
  }

  private async claimAndSubmit(
    provider: MessageProvider,
    admission: Admission,
    due: readonly DueDelivery[],
    blocked: ReadonlyMap<string, Reason>,
    onClaimed: () => void,
  ): Promise<ReadonlySet<string>> {
    const leasedAt = performance.now();
    const claimed = await this.claims.claim(due, provider.name).finally(onClaimed);
    const unsure = new Set(due.filter((delivery) => mayHave(provider, delivery)).map(({ id }) => id));
    const asked = await this.ask(
      provider,
      admission,
      claimed.filter(({ id }) => unsure.has(id)),
    );
    const known = new Set(asked.map(([{ id }]) => id));
    const rest = claimed.filter(({ id }) => !known.has(id));
    const ended = rest.flatMap((delivery) => {
      const wasAsked = provider.ask !== undefined && unsure.has(delivery.id);
      return this.endUnaccepted(delivery, blocked.get(delivery.id), wasAsked);
    });
    const endedIds = new Set(ended.map(([{ id }]) => id));
    const submitted = await this.submitTexts(
      provider,
      admission,
      rest.filter(({ id }) => !endedIds.has(id)),
      leasedAt,
    );
    return this.recordResults(provider, [...asked, ...ended, ...submitted]);
  }

  /** Asks about earlier attempts. Deliveries that the provider never accepted are left out. */
  private async ask(
    provider: MessageProvider,
    admission: Admission,
    deliveries: readonly ClaimedDelivery[],
  ): Promise<SubmitEvent[]> {
    if (!provider.ask || deliveries.length === 0) return [];
    const references = deliveries.map(({ id }) => id);
    return this.call(provider, admission, 'ask', deliveries, (signal) =>
      Promise.resolve(provider.ask?.(references, signal) ?? []),
    );
  }

  /** Ends or holds a delivery that must not be submitted again now. @param wasAsked its provider has never accepted it */
  private endUnaccepted(
    delivery: ClaimedDelivery,
    reason: Reason | undefined,
    wasAsked: boolean,
  ): SubmitEvent[] {
    const { hold, outcomeUnknown } = delivery;
    if (!outcomeUnknown) return [];
    if (hold === 'canceled') return [[delivery, { type: hold }]];
    if (reason) return [[delivery, { type: 'blocked', reason }]];
    if (wasAsked && this.router.isExhausted(delivery, delivery.attempt - 1))
      return [[delivery, failed(noAnswer)]];
    return hold === 'paused' ? [[delivery, { type: hold }]] : [];
  }

  private async submitTexts(
    provider: MessageProvider,
    admission: Admission,
    deliveries: readonly ClaimedDelivery[],
    leasedAt: number,
  ): Promise<SubmitEvent[]> {
    if (deliveries.length === 0) return [];
    const bodies = await this.bodies.build(deliveries);
    const ready: ReadyDelivery[] = [];
    const unsendable: SubmitEvent[] = [];
    for (const delivery of deliveries) {
      const { id: reference, channel, recipient, pages } = delivery;
      const own = { reference, channel, recipient, pages, ...shownTo(delivery) };
      const body = bodies.get(reference) ?? { unsendableReason: unreadable };
      if ('unsendableReason' in body) unsendable.push([delivery, withoutBody(delivery, provider, body)]);
      else ready.push({ delivery, submission: { ...own, ...body } });
    }
    return [...unsendable, ...(await this.submitReady(provider, admission, ready, leasedAt))];
  }

  private async submitReady(
    provider: MessageProvider,
    admission: Admission,
    ready: readonly ReadyDelivery[],
    leasedAt: number,
  ): Promise<SubmitEvent[]> {
    const { held, isLate } = await this.claims.renewIfLate(
      ready.map(({ delivery }) => delivery),
      leasedAt,
    );
    const notSubmitted: SubmitEvent[] = [];
    const claimed: ClaimedDelivery[] = [];
    const submissions: Submission[] = [];
    for (const { delivery, submission } of ready) {
      if (!held.has(delivery.id)) continue;
      // The registration of the sender may have changed since the route was decided.
      const sender = this.router.originatorFor(provider, submission.sender, delivery.organisationId);
      if (isLate || sender === undefined) notSubmitted.push([delivery, notSent]);
      else {
        claimed.push(delivery);
        submissions.push(sender === submission.sender ? submission : { ...submission, sender });
      }
    }
    if (claimed.length === 0) return notSubmitted;
    const submitted = await this.call(provider, admission, 'submit', claimed, (signal) =>
      provider.submit(submissions, signal),
    );
    return [...notSubmitted, ...submitted];
  }

  /** The outcome of a delivery without a result is unknown. Results that arrive after the timeout are recorded then. */
  private async call(
    provider: MessageProvider,
    admission: Admission,
    kind: 'submit' | 'ask',
    deliveries: readonly ClaimedDelivery[],
    send: (signal: AbortSignal) => Promise<readonly AskResult[]>,
  ): Promise<SubmitEvent[]> {
    const toEvents = (results: readonly AskResult[]): SubmitEvent[] =>
      deliveries.flatMap((delivery, index) => eventsOf(delivery, results[index]));
    const results = await this.calls.call({
      provider,
      admission,
      kind,
      deliveries,
      send,
      onLate: async (late) => {
        await this.recordResults(provider, toEvents(late));
      },
    });
    return toEvents(deliveries.map((_, index) => results[index] ?? { kind: 'unknown' }));
  }

  /** Reports can arrive before the reference is stored; they are parked, and matched here. */
  private async recordResults(
    provider: MessageProvider,
    events: readonly SubmitEvent[],
  ): Promise<ReadonlySet<string>> {
    const retryable = await this.record(events, provider);
    const references = events.flatMap(([, event]) =>
      event.type === 'accepted' ? [event.providerReference ?? [], event.furtherReferences ?? []].flat() : [],
    );
    await this.reports.matchParked(provider.name, references);
    return retryable;
  }
}
