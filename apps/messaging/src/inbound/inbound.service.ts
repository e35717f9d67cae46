import { LeaseLostError, RetrySchedule } from '@gangan/leases';
import { timeOfId } from '@gangan/protocol';
import {
  type InboundContent,
  InboundContents,
  type ReadInbound,
  readInbound,
  type TemplateUpdate,
} from '@gangan/providers';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { groupBy } from '../grouping.js';
import type { ReceivedMessage } from '../inbox/incoming-message.js';
import { IncomingService } from '../inbox/incoming.service.js';
import { reportReason } from '../outcome/reasons.js';
import { type DeliveryReport, ReportsService, type Unapplied } from '../reports/reports.service.js';
import { InboundMetrics } from './inbound.metrics.js';
import {
  type ClaimedRequest,
  InboundRepository,
  type ProviderSettings,
  type ReadRequest,
} from './inbound.repository.js';
import { joinFaults, unassignedFault } from './request-faults.js';
import { UnverifiedRequests } from './unverified-requests.js';

/** How many reports or messages one transaction stores. */
const maxItems = 1_000;
/** The delays before a request is tried again if its reports or messages could not be stored. */
const schedule = new RetrySchedule({ firstMs: 1_000, maxMs: 60_000, maxAttempts: Infinity });

/** The delay before a report is tried again if it arrived before the answer to its message. */
const earlyDelayMs = 2_000;

interface Understood {
  readonly request: ClaimedRequest;
  readonly result: ReadRequest;
  readonly reports: readonly DeliveryReport[];
  readonly messages: readonly ReceivedMessage[];
  readonly templates: readonly TemplateUpdate[];
}

@Injectable()
export class InboundService {
  constructor(
    private readonly repository: InboundRepository,
    private readonly unverified: UnverifiedRequests,
    private readonly contents: InboundContents,
    private readonly reports: ReportsService,
    private readonly incoming: IncomingService,
    private readonly metrics: InboundMetrics,
    private readonly logger: AppLogger,
  ) {}

  /** The messages and reports of all requests of a provider are stored together. @throws LeaseLostError */
  async readAll(claimed: readonly ClaimedRequest[]): Promise<void> {
    const requests = await this.unverified.verifyAll(claimed);
    const names = [...new Set(requests.map(({ provider }) => provider))];
    const settings = await this.repository.findSettings(names);
    const held = new Set(requests);
    for (const [provider, group] of groupBy(requests, (request) => request.provider)) {
      const own = settings.get(provider);
      const understood = group.map((request) => this.understand(request, own));
      await this.apply(provider, understood, held);
    }
  }

  private understand(request: ClaimedRequest, provider: ProviderSettings | undefined): Understood {
    const { id, attempt, sealed, contentType } = request;
    let content: InboundContent;
    try {
      content = this.contents.open(sealed, id);
    } catch {
      const fault = 'it cannot be opened: check QUEUE_KEYS and DATA_KEYS';
      const result = withFaults({ id, attempt, sealed }, [fault]);
      return { request, result, reports: [], messages: [], templates: [] };
    }
    const {
      reports,
      messages,
      templates = [],
      faults,
    }: ReadInbound = provider
      ? readInbound(provider, { ...content, contentType: contentType ?? undefined })
      : { reports: [], messages: [], faults: ['the provider was removed'] };
    return {
      request,
      result: withFaults({ id, attempt, sealed: this.contents.seal(content, id) }, faults),
      reports: reports.map(({ reason, ...report }) => ({
        ...report,
        ...(reason !== undefined && { reason: reportReason(report.state, reason) }),
      })),
      // If the provider gives no id, a request that is read again still has each message once.
      messages: messages.map((message, index) => ({
        ...message,
        reference: message.reference ?? `${id}:${index}`,
        arrivedAt: timeOfId(id),
        requestId: id,
      })),
      templates,
    };
  }

  /**
   * A request ends after its messages and reports are stored. If the worker dies before, another one reads it again.
   * @param held the requests of the batch that have not ended
   */
  private async apply(
    provider: string,
    group: readonly Understood[],
    held: Set<ClaimedRequest>,
  ): Promise<void> {
    const renew = (): Promise<void> => this.repository.renew([...held]);
    let unassigned: ReadonlySet<ReceivedMessage>;
    let unapplied: Unapplied;
    try {
      const messages = group.flatMap((one) => one.messages);
      unassigned = await this.store(provider, messages, renew);
      const reports = group.flatMap((one) => one.reports);
      unapplied = await this.receive(provider, reports, renew);
      const templates = group.flatMap((one) => one.templates);
      await this.repository.updateTemplates(provider, templates);
    } catch (error) {
      if (error instanceof LeaseLostError) throw error;
      const [first] = group;
      if (group.length > 1) for (const one of group) await this.apply(provider, [one], held);
      else if (first) {
        held.delete(first.request);
        await this.retry(first.request, error);
      }
      return;
    }
    for (const { request } of group) held.delete(request);
    const isEarly = ({ reports }: Understood): boolean => reports.some((one) => unapplied.early.has(one));
    for (const { request } of group.filter(isEarly)) await this.repository.release(request, earlyDelayMs);
    const results = group
      .filter((one) => !isEarly(one))
      .map(({ result, reports, messages }) =>
        withFaults(result, [
          ...messages.filter((one) => unassigned.has(one)).map(unassignedFault),
          ...(reports.some((one) => unapplied.unmatched.has(one))
            ? ['a report matches no delivery, or several']
            : []),
        ]),
      );
    await this.repository.store(results);
    for (const { state } of results) this.metrics.read.inc({ provider, state });
  }

  /** In parts: a request can have thousands of messages. @returns messages that belong to no organisation */
  private async store(
    provider: string,
    messages: readonly ReceivedMessage[],
    renew: () => Promise<void>,
  ): Promise<ReadonlySet<ReceivedMessage>> {
    const { unassigned } = await this.incoming.receive(provider, messages.slice(0, maxItems));
    if (messages.length <= maxItems) return new Set(unassigned);
    await renew();
    return new Set([...unassigned, ...(await this.store(provider, messages.slice(maxItems), renew))]);
  }

  /** Works in parts, because one request can have thousands of reports. */
  private async receive(
    provider: string,
    reports: readonly DeliveryReport[],
    renew: () => Promise<void>,
  ): Promise<Unapplied> {
    if (reports.length <= maxItems) return this.reports.receive(provider, reports);
    const first = await this.reports.receive(provider, reports.slice(0, maxItems));
    await renew();
    const others = await this.receive(provider, reports.slice(maxItems), renew);
    return {
      early: new Set([...first.early, ...others.early]),
      unmatched: new Set([...first.unmatched, ...others.unmatched]),
    };
  }

  /** Ends requests that could not be processed. */
  async fail(requests: readonly ClaimedRequest[]): Promise<void> {
    const fault = 'it could not be processed; see the log';
    await this.repository.store(
      requests.map((request) => ({
        id: request.id,
        attempt: request.attempt,
        fault,
        state: 'unparsed',
        sealed: this.reseal(request),
      })),
    );
  }

  /** Seals a request with the current key: the queue keys may be replaced while the request is kept. */
  private reseal({ id, sealed, isVerified }: ClaimedRequest): ClaimedRequest['sealed'] {
    if (!isVerified) return sealed;
    try {
      return this.contents.seal(this.contents.open(sealed, id), id);
    } catch {
      return sealed;
    }
  }

  private async retry(request: ClaimedRequest, error: unknown): Promise<void> {
    const { id, provider, attempt } = request;
    this.logger.warn(
      { err: error, inbound: id, provider, attempt },
      'reports or messages could not be stored; retrying',
    );
    await this.repository.release(request, schedule.delayAfter(attempt) ?? 0);
  }
}

function withFaults(
  { fault: known = null, ...result }: Omit<ReadRequest, 'state' | 'fault'> & Partial<ReadRequest>,
  faults: readonly string[],
): ReadRequest {
  const fault = joinFaults(known === null ? faults : [known, ...faults]);
  return fault === ''
    ? { ...result, state: 'handled', fault: null }
    : { ...result, state: 'unparsed', fault };
}
