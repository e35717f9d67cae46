import type { InboundContent } from '@gangan/contracts';
import { LeasedJobRunner, RetrySchedule } from '@gangan/leases';
import { type HttpSettings, InboundContents, readReports } from '@gangan/providers';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { groupBy } from '../grouping.js';
import { reportReason } from '../outcome/reasons.js';
import { type DeliveryReport, ReportsService, type Unapplied } from '../reports/reports.service.js';
import { InboundMetrics } from './inbound.metrics.js';
import { type ClaimedRequest, InboundRepository, type ReadRequest } from './inbound.repository.js';

const maxFaultLength = 500;
/** Reports that are applied in one transaction. */
const maxReports = 1_000;
/** When a request is tried again whose reports could not be stored. */
const schedule = new RetrySchedule({ firstMs: 1_000, maxMs: 60_000, maxAttempts: Infinity });

/** When a report is tried again that arrived before the answer to its message. */
const earlyDelayMs = 2_000;

/** A request, and the reports in it. */
interface Understood {
  readonly request: ClaimedRequest;
  readonly result: ReadRequest;
  readonly reports: readonly DeliveryReport[];
}

/** Reads what providers sent. */
@Injectable()
export class InboundService {
  constructor(
    private readonly repository: InboundRepository,
    private readonly contents: InboundContents,
    private readonly reports: ReportsService,
    private readonly metrics: InboundMetrics,
    private readonly logger: AppLogger,
  ) {}

  /** The reports of all requests of a provider are applied together. */
  async readAll(requests: readonly ClaimedRequest[]): Promise<void> {
    const names = [...new Set(requests.map(({ provider }) => provider))];
    const settings = await this.repository.findSettings(names);
    for (const [provider, group] of groupBy(requests, (request) => request.provider)) {
      const { reports } = settings.get(provider) ?? {};
      await this.apply(
        provider,
        group.map((request) => this.understand(request, reports)),
      );
    }
  }

  private understand(request: ClaimedRequest, settings: HttpSettings['reports']): Understood {
    const { id, attempt, sealed, contentType } = request;
    let content: InboundContent;
    try {
      content = this.contents.open(sealed, id);
    } catch {
      const fault = 'it cannot be opened: check QUEUE_KEY and DATA_KEY';
      return { request, result: { id, attempt, sealed, state: 'unparsed', fault }, reports: [] };
    }
    const { reports, faults } = settings
      ? readReports(settings, { ...content, contentType: contentType ?? undefined })
      : { reports: [], faults: ['the provider has no settings for reports'] };
    const fault = faults.length === 0 ? null : faults.join('; ').slice(0, maxFaultLength);
    return {
      request,
      result: {
        id,
        attempt,
        fault,
        state: fault === null ? 'handled' : 'unparsed',
        sealed: this.contents.seal(content, id),
      },
      reports: reports.map(({ reason, ...report }) => ({
        ...report,
        ...(reason !== undefined && { reason: reportReason(report.state, reason) }),
      })),
    };
  }

  /** A request ends after its reports are stored. If the worker dies before, another one reads it again. */
  private async apply(provider: string, group: readonly Understood[]): Promise<void> {
    let unapplied: Unapplied;
    try {
      unapplied = await this.receive(
        provider,
        group.flatMap(({ reports }) => reports),
      );
    } catch (error) {
      const [first] = group;
      if (group.length > 1) for (const one of group) await this.apply(provider, [one]);
      else if (first) await this.retry(first.request, error);
      return;
    }
    const isEarly = ({ reports }: Understood): boolean => reports.some((one) => unapplied.early.has(one));
    for (const { request } of group.filter(isEarly)) await this.repository.release(request, earlyDelayMs);
    const results = group
      .filter((one) => !isEarly(one))
      .map(({ result, reports }) =>
        reports.some((one) => unapplied.unmatched.has(one)) ? asUnmatched(result) : result,
      );
    await this.repository.store(results);
    for (const { state } of results) this.metrics.read.inc({ provider, state });
  }

  /** In parts: one request can have thousands of reports. */
  private async receive(provider: string, reports: readonly DeliveryReport[]): Promise<Unapplied> {
    if (reports.length <= maxReports) return this.reports.receive(provider, reports);
    const first = await this.reports.receive(provider, reports.slice(0, maxReports));
    const others = await this.receive(provider, reports.slice(maxReports));
    return {
      early: new Set([...first.early, ...others.early]),
      unmatched: new Set([...first.unmatched, ...others.unmatched]),
    };
  }

  /** Ends requests that could not be processed. */
  async fail(requests: readonly ClaimedRequest[]): Promise<void> {
    const fault = 'it could not be processed; see the log';
    await this.repository.store(
      requests.map(({ id, attempt, sealed }) => ({
        id,
        attempt,
        fault,
        state: 'unparsed',
        sealed: this.reseal(sealed, id),
      })),
    );
  }

  /** `QUEUE_KEY` may be replaced while the request is kept. */
  private reseal(sealed: ClaimedRequest['sealed'], id: string): ClaimedRequest['sealed'] {
    try {
      return this.contents.seal(this.contents.open(sealed, id), id);
    } catch {
      return sealed;
    }
  }

  private async retry(request: ClaimedRequest, error: unknown): Promise<void> {
    const { id, provider, attempt } = request;
    this.logger.warn({ err: error, inbound: id, provider, attempt }, 'reports could not be stored; retrying');
    await this.repository.release(request, schedule.delayAfter(attempt) ?? 0);
  }
}

function asUnmatched(result: ReadRequest): ReadRequest {
  const fault = [
    ...(result.fault === null ? [] : [result.fault]),
    'a report matches no delivery, or several',
  ].join('; ');
  return { ...result, state: 'unparsed', fault: fault.slice(0, maxFaultLength) };
}

interface ClaimedBatch {
  readonly stalls: number;
  readonly requests: readonly ClaimedRequest[];
}

/** Claims requests when an event announces one, and once a second. */
@Injectable()
export class InboundRunner extends LeasedJobRunner<ClaimedBatch> {
  constructor(service: InboundService, repository: InboundRepository, logger: AppLogger) {
    super(
      {
        name: 'inbound request',
        concurrency: 2,
        maxStalls: 100,
        maxDelayMs: 60_000,
        describe: ({ requests }) => ({ requests: requests.length }),
        claimNext: async () => {
          const requests = await repository.claimDue();
          return requests.length === 0
            ? undefined
            : { requests, stalls: Math.min(...requests.map(({ attempt }) => attempt)) };
        },
        runSlice: ({ requests }) => service.readAll(requests),
        release: async ({ requests }, delayMs) => {
          for (const request of requests) await repository.release(request, delayMs);
        },
        fail: ({ requests }) => service.fail(requests),
      },
      logger,
    );
  }
}
