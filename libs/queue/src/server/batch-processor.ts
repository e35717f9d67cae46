import { BatchScope, fail, internalError } from '@gangan/protocol';
import type { Job } from 'bullmq';
import type { Backend } from '../backends/backend.js';
import type { QueueLogger, QueueObserver } from '../observer.js';
import type { Codec } from '../wire/codec.js';
import type { Envelope } from '../wire/envelope.js';
import type { MemberRunner } from './member-runner.js';
import type { JobReader, Member, OpenedJob } from './read-job.js';
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
    private readonly reader: JobReader,
    private readonly runner: MemberRunner,
    private readonly replies: ReplySender,
    private readonly codec: Codec,
    private readonly logger: QueueLogger,
    private readonly observer: QueueObserver,
  ) {}

  async process(job: Job): Promise<void> {
    const opened = this.reader.read(job);
    const queuedSeconds = Math.max(0, Date.now() - job.timestamp) / 1_000;
    this.observer.jobStarted(this.lane, opened.members.length, queuedSeconds);
    if (job.attemptsStarted > 1) await this.oneByOne(job, opened);
    else await this.together(opened);
  }

  private async together({ replyTo, members }: OpenedJob): Promise<void> {
    const living = members.filter(({ request }) => !this.runner.dropIfLate(request));
    const counts = new Map<string, number>();
    for (const { request } of living) counts.set(request.name, (counts.get(request.name) ?? 0) + 1);
    const scopes = new Map([...counts].map(([name, count]) => [name, new BatchScope(count)]));
    await Promise.all(living.map((member) => this.answer(replyTo, member, scopes.get(member.request.name))));
    // Callers wait for the answers, nobody for the job's completion: that goes after them, but does not wait for them.
    if (replyTo !== undefined) this.replies.flush(replyTo);
  }

  private async oneByOne(job: Job, { replyTo, members }: OpenedJob): Promise<void> {
    let memory = (job.progress || { starts: {}, finished: [] }) as Memory;
    for (const member of members) {
      const { id } = member.request;
      if (memory.finished.includes(id) || this.runner.dropIfLate(member.request)) continue;
      const starts = memory.starts[id] ?? 1;
      if (starts >= MAX_STARTS) {
        await this.park(replyTo, member);
      } else {
        memory = { ...memory, starts: { ...memory.starts, [id]: starts + 1 } };
        await this.remember(job, memory);
        await this.answer(replyTo, member);
      }
      await this.replies.settled();
      memory = { ...memory, finished: [...memory.finished, id] };
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

  private answer(
    replyTo: string | undefined,
    { request: { id, name, deadline }, parcel }: Member,
    scope?: BatchScope,
  ): Promise<void> {
    return this.runner.answer(name, parcel, scope).then((reply) => {
      if (replyTo !== undefined && deadline !== undefined)
        this.replies.send(replyTo, { id, reply }, deadline);
    });
  }

  /** Becomes a job of its own that fails at once: the failed set is where everything that is put aside lies. */
  private async park(replyTo: string | undefined, { request, parcel }: Member): Promise<void> {
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
      const sealed = this.codec.sealJob(replyTo, [{ request, parcel: JSON.stringify(parcel) }]);
      const queue = await this.backend.queue(this.lane);
      await queue.add('parked', { ...sealed, parked: reason } satisfies Envelope, {
        attempts: 1,
        removeOnFail: false,
        removeOnComplete: true,
      });
    } catch (error) {
      this.logger.error({ lane: this.lane, reason: String(error) }, 'a parked request could not be kept');
    }
    if (replyTo === undefined || request.deadline === undefined) return;
    this.replies.send(
      replyTo,
      { id: request.id, reply: JSON.stringify(fail(internalError())) },
      request.deadline,
    );
  }
}
