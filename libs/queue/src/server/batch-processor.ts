import { BatchScope, fail, internalError } from '@gangan/protocol';
import type { Job } from 'bullmq';
import type { Backend } from '../backends/backend.js';
import { requestJob } from '../lane.js';
import type { QueueLogger, QueueObserver } from '../observer.js';
import { type Codec, expectsReplies, type JobOrigin } from '../wire/codec.js';
import type { Envelope, WireRequest } from '../wire/envelope.js';
import type { MemberRunner } from './member-runner.js';
import type { JobReader, Member, OpenedJob } from './job-reader.js';
import type { ReplySender } from './reply-sender.js';
import type { TogetherRunner } from './together-runner.js';

/** A member that was started this often and never finished is not started again. */
const maxStarts = 3;

/** What is stored about a batch between its starts. */
interface Progress {
  readonly starts: Readonly<Record<string, number>>;
  readonly finished: readonly string[];
}

/**
 * Runs the requests of a job: together those that a batch handler takes, the others concurrently. If a batch is started
 * again, its worker has died; then its members run one by one, so that the member that crashes workers is found and parked.
 */
export class BatchProcessor {
  constructor(
    private readonly lane: string,
    private readonly backend: Backend,
    private readonly reader: JobReader,
    private readonly runner: MemberRunner,
    private readonly together: TogetherRunner,
    private readonly replies: ReplySender,
    private readonly codec: Codec,
    private readonly logger: QueueLogger,
    private readonly observer: QueueObserver,
  ) {}

  async process(job: Job): Promise<void> {
    const opened = this.reader.read(job);
    const queuedSeconds = Math.max(0, Date.now() - job.timestamp) / 1_000;
    this.observer.jobStarted(this.lane, opened.members.length, queuedSeconds);
    if (job.attemptsStarted > 1) await this.runSequentially(job, opened);
    else await this.runConcurrently(opened);
  }

  private async runConcurrently({ origin, members }: OpenedJob): Promise<void> {
    const current = members.filter(({ request }) => !this.runner.dropIfLate(request));
    const names = new Set(current.map(({ request }) => request.name));
    await Promise.all(
      [...names].map(async (name) => {
        const group = current.filter(({ request }) => request.name === name);
        const taken = await this.together.take(name, group);
        if (!taken) return this.runEach(origin, group);
        await Promise.all([
          this.runEach(origin, taken.rest),
          this.together.reply(name, taken).then((replies) => {
            const unanswered = taken.members.filter(({ request }, index) => {
              const reply = replies[index];
              if (reply !== undefined) this.send(origin, request, reply);
              return reply === undefined && !this.runner.dropIfLate(request);
            });
            return this.runEach(origin, unanswered);
          }),
        ]);
      }),
    );
    // Callers wait for the replies, not for the completion of the job: so the replies are sent first.
    if (expectsReplies(origin)) this.replies.flush(origin);
  }

  private async runEach(origin: JobOrigin, members: readonly Member[]): Promise<void> {
    const scope = new BatchScope(members.length);
    await Promise.all(members.map((member) => this.reply(origin, member, scope)));
  }

  private async runSequentially(job: Job, { origin, members }: OpenedJob): Promise<void> {
    let progress = (job.progress || { starts: {}, finished: [] }) as Progress;
    for (const member of members) {
      const { id } = member.request;
      if (progress.finished.includes(id) || this.runner.dropIfLate(member.request)) continue;
      const starts = progress.starts[id] ?? 1;
      if (starts >= maxStarts) {
        await this.park(origin, member);
      } else {
        progress = { ...progress, starts: { ...progress.starts, [id]: starts + 1 } };
        await this.store(job, progress);
        await this.reply(origin, member);
      }
      await this.replies.idle();
      progress = { ...progress, finished: [...progress.finished, id] };
      await this.store(job, progress);
    }
  }

  /** Never fails: if the progress cannot be stored, members may run once more, which must not fail the others. */
  private async store(job: Job, progress: Progress): Promise<void> {
    await job.updateProgress(progress).catch((error: unknown) => {
      this.logger.warn(
        { lane: this.lane, job: job.id, reason: String(error) },
        'progress could not be stored',
      );
    });
  }

  private reply(origin: JobOrigin, member: Member, scope?: BatchScope): Promise<void> {
    return this.runner.reply(member.request.name, member.parcel, scope).then((reply) => {
      this.send(origin, member.request, reply);
    });
  }

  /** A replayed request has no deadline: its caller is gone. */
  private send(origin: JobOrigin, { id, deadline }: WireRequest, reply: string): void {
    if (expectsReplies(origin) && deadline !== undefined) this.replies.send(origin, { id, reply }, deadline);
  }

  /** Adds a job that fails at once: the failed set holds everything that is parked. */
  private async park(origin: JobOrigin, { request, parcel }: Member): Promise<void> {
    const reason = `started ${maxStarts} times and never finished`;
    const { id, name: contract, organisation } = request;
    this.observer.parked(this.lane);
    this.logger.error({ lane: this.lane, contract, request: id, organisation, reason }, 'request parked');
    try {
      const sealed = this.codec.sealJob(origin, [{ request, parcel: JSON.stringify(parcel) }]);
      const queue = await this.backend.queue(this.lane);
      await queue.add('parked', { ...sealed, parked: reason } satisfies Envelope, requestJob);
    } catch (error) {
      this.logger.error({ lane: this.lane, reason: String(error) }, 'a parked request could not be stored');
    }
    this.send(origin, request, JSON.stringify(fail(internalError())));
  }
}
