import { BatchScope, fail, internalError } from '@gangan/protocol';
import { type Job, UnrecoverableError } from 'bullmq';
import type { Backend } from '../backends/backend.js';
import type { QueueLogger, QueueObserver } from '../observer.js';
import type { Codec } from '../wire/codec.js';
import { type Envelope, readEnvelope, VERSION, type WireRequest } from '../wire/envelope.js';
import type { MemberRunner } from './member-runner.js';
import type { ReplySender } from './reply-sender.js';

/** A member that has been started this often without ever finishing is not started again. */
const MAX_STARTS = 3;

/** What is remembered of a batch between its starts. */
interface Memory {
  readonly starts: Readonly<Record<string, number>>;
  readonly finished: readonly string[];
}

/**
 * Runs the requests of a job. The first time all together; a batch that is started again lost its worker, so from
 * then on its members run one by one, and the one that kills its workers is found and put aside.
 */
export class BatchProcessor {
  constructor(
    private readonly lane: string,
    private readonly backend: Backend,
    private readonly runner: MemberRunner,
    private readonly replies: ReplySender,
    private readonly codec: Codec,
    private readonly logger: QueueLogger,
    private readonly observer: QueueObserver,
  ) {}

  async process(job: Job): Promise<void> {
    const envelope = this.read(job);
    this.observer.jobStarted(
      this.lane,
      envelope.requests.length,
      Math.max(0, Date.now() - job.timestamp) / 1_000,
    );
    if (job.attemptsStarted > 1) await this.oneByOne(job, envelope);
    else await this.together(envelope);
  }

  private read(job: Job): Envelope {
    let envelope: Envelope;
    try {
      envelope = readEnvelope(job.data);
    } catch (error) {
      this.observer.parked(this.lane);
      this.logger.error(
        { lane: this.lane, job: job.id, reason: String(error) },
        'job parked: it cannot be read',
      );
      throw new UnrecoverableError(String(error));
    }
    if (envelope.parked) throw new UnrecoverableError(envelope.parked);
    return envelope;
  }

  private async together({ replyTo, requests }: Envelope): Promise<void> {
    const living = requests.filter((request) => !this.runner.dropIfLate(request));
    const scopes = new Map<string, BatchScope>();
    for (const { name } of living) {
      if (!scopes.has(name))
        scopes.set(name, new BatchScope(living.filter((other) => other.name === name).length));
    }
    await Promise.all(living.map((request) => this.answer(replyTo, request, scopes.get(request.name))));
  }

  private async oneByOne(job: Job, { replyTo, requests }: Envelope): Promise<void> {
    let memory = (job.progress || { starts: {}, finished: [] }) as Memory;
    for (const request of requests) {
      if (memory.finished.includes(request.id) || this.runner.dropIfLate(request)) continue;
      const starts = memory.starts[request.id] ?? 1;
      if (starts >= MAX_STARTS) {
        await this.park(replyTo, request);
      } else {
        memory = { ...memory, starts: { ...memory.starts, [request.id]: starts + 1 } };
        await this.remember(job, memory);
        await this.answer(replyTo, request);
      }
      memory = { ...memory, finished: [...memory.finished, request.id] };
      await this.remember(job, memory);
    }
  }

  /** What cannot be written down costs at most a repetition; it must not cost the neighbours their answers. */
  private async remember(job: Job, memory: Memory): Promise<void> {
    await job.updateProgress(memory).catch((error: unknown) => {
      this.logger.warn(
        { lane: this.lane, job: job.id, reason: String(error) },
        'progress could not be written down',
      );
    });
  }

  private async answer(replyTo: string | undefined, request: WireRequest, scope?: BatchScope): Promise<void> {
    if (replyTo === undefined || request.deadline === undefined) return;
    await this.replies.send(replyTo, await this.runner.answer(replyTo, request, scope), request.deadline);
  }

  /** Becomes a job of its own that fails at once: the failed set is where everything that is put aside lies. */
  private async park(replyTo: string | undefined, request: WireRequest): Promise<void> {
    const reason = `started ${MAX_STARTS} times and never finished`;
    this.observer.parked(this.lane);
    this.logger.error(
      {
        lane: this.lane,
        contract: request.name,
        request: request.id,
        organisation: request.organisation,
        reason,
      },
      'request parked',
    );
    try {
      const envelope: Envelope = {
        v: VERSION,
        ...(replyTo && { replyTo }),
        requests: [request],
        parked: reason,
      };
      const queue = await this.backend.queue(this.lane);
      await queue.add('parked', envelope, { attempts: 1, removeOnFail: false });
    } catch (error) {
      this.logger.error({ lane: this.lane, reason: String(error) }, 'a parked request could not be kept');
    }
    if (replyTo === undefined || request.deadline === undefined) return;
    const refusal = this.codec.sealReply(replyTo, request.id, fail(internalError()));
    await this.replies.send(replyTo, refusal, request.deadline);
  }
}
