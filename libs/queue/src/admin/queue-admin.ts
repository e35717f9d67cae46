import { setTimeout as pause } from 'node:timers/promises';
import type { Job } from 'bullmq';
import type { Backend, LaneQueue } from '../backends/backend.js';
import { openBackend } from '../backends/open-backend.js';
import type { QueueKeys } from '../keys/queue-keys.js';
import { depthOf } from '../lane.js';
import type { QueueLogger } from '../observer.js';
import type { QueueSettings } from '../settings.js';
import { Codec, type Parcel } from '../wire/codec.js';
import { type Envelope, readEnvelope } from '../wire/envelope.js';

export type JobView = ReturnType<typeof describeJob>;
export type LaneState = Awaited<ReturnType<QueueAdmin['state']>>;

const retryMs = 50;

/** What an operator can do with the lanes: look at them, pause them, and replay or drop parked jobs. */
export class QueueAdmin {
  private constructor(private readonly backend: Backend) {}

  /** @throws if the broker does not answer within the timeout */
  static async open(
    settings: Pick<QueueSettings, 'connection' | 'namespace'>,
    logger: QueueLogger,
    timeoutMs = 5_000,
  ): Promise<QueueAdmin> {
    const backend = await openBackend(settings, 'producer', logger);
    const until = performance.now() + timeoutMs;
    for (;;) {
      try {
        await backend.ping();
        return new QueueAdmin(backend);
      } catch (error) {
        if (performance.now() > until) {
          await backend.close();
          throw error;
        }
        await pause(retryMs);
      }
    }
  }

  async state(lane: string) {
    const queue = await this.backend.queue(lane);
    return { ...(await depthOf(this.backend, lane)), paused: await queue.isPaused() };
  }

  /** A page of the parked jobs, oldest first. */
  async parked(lane: string, from: number, count: number): Promise<JobView[]> {
    const queue = await this.backend.queue(lane);
    return (await page(queue, from, count)).map((job) => describeJob(lane, job));
  }

  /** Finds a job, whether it is parked or not. */
  async find(lane: string, id: string): Promise<JobView | undefined> {
    const job = await this.job(lane, id);
    return job && describeJob(lane, job);
  }

  /**
   * The content of a job in plain text, with personal data and tokens.
   * @throws if it cannot be opened with these keys
   */
  async openSealed(lane: string, id: string, keys: QueueKeys): Promise<Parcel[] | undefined> {
    const job = await this.job(lane, id);
    return job && operatorCodec(keys).openJob(lane, readEnvelope(job.data));
  }

  /**
   * Runs a parked job again. An event gets all its attempts again. A request runs without its deadline, because its caller
   * is gone, and its reply is not sent. The members of a batch that had finished are not run again.
   * @param keys needed for a request, whose deadline is bound to its seal
   * @returns `false` if no parked job has this id
   * @throws if this version cannot read it, or if it is a request that cannot be opened with these keys
   */
  async replay(lane: string, id: string, keys: QueueKeys = noKeys): Promise<boolean> {
    const job = await this.parkedJob(lane, id);
    if (job) await replayJob(lane, job, keys);
    return job !== undefined;
  }

  /** @returns `false` if no parked job has this id */
  async drop(lane: string, id: string): Promise<boolean> {
    const job = await this.parkedJob(lane, id);
    await job?.remove();
    return job !== undefined;
  }

  /**
   * Replays all jobs that are parked now. Jobs that this version cannot read, and requests that cannot be opened with these
   * keys, stay parked.
   * @returns how many it replayed, and how many it could not open
   */
  async replayAll(lane: string, keys: QueueKeys = noKeys): Promise<{ replayed: number; unopened: number }> {
    let unopened = 0;
    const replayed = await this.all(lane, async (job) => {
      try {
        await replayJob(lane, job, keys);
        return true;
      } catch (error) {
        if (!(error instanceof UnopenedError)) throw error;
        unopened += 1;
        return false;
      }
    });
    return { replayed, unopened };
  }

  dropAll(lane: string): Promise<number> {
    return this.all(lane, async (job) => {
      await job.remove();
      return true;
    });
  }

  /** Workers start no more jobs of the lane; they finish those in flight. */
  async pause(lane: string): Promise<void> {
    await (await this.backend.queue(lane)).pause();
  }

  async resume(lane: string): Promise<void> {
    await (await this.backend.queue(lane)).resume();
  }

  close(): Promise<void> {
    return this.backend.close();
  }

  /**
   * Acts on each job once: a job that is parked again meanwhile would otherwise keep the loop running.
   * @param act returns whether the job is no longer parked
   * @returns how many jobs are no longer parked
   */
  private async all(lane: string, act: (job: Job) => Promise<boolean>): Promise<number> {
    const queue = await this.backend.queue(lane);
    const startedAt = Date.now();
    let done = 0;
    for (let skipped = 0; ;) {
      const [job] = await page(queue, skipped, 1);
      if (!job) return done;
      const isDone = (job.finishedOn ?? 0) <= startedAt && (await act(job));
      if (isDone) done += 1;
      else skipped += 1;
    }
  }

  private async job(lane: string, id: string): Promise<Job | undefined> {
    return (await this.backend.queue(lane)).getJob(id);
  }

  private async parkedJob(lane: string, id: string): Promise<Job | undefined> {
    const job = await this.job(lane, id);
    return (await job?.isFailed()) ? job : undefined;
  }
}

const page = (queue: LaneQueue, from: number, count: number): Promise<Job[]> =>
  queue.getJobs(['failed'], from, from + count - 1, true);

/** A job that this version cannot read, or a request that cannot be opened with the given keys. */
class UnopenedError extends Error {}

const noKeys: QueueKeys = { of: () => [] };

/** Commands open and seal jobs of every app and receive no replies. */
const operatorCodec = (keys: QueueKeys): Codec => new Codec('admin', keys);

async function replayJob(lane: string, job: Job, keys: QueueKeys): Promise<void> {
  const envelope = tryReadEnvelope(job);
  if (!envelope)
    throw new UnopenedError('The job cannot be read: another version sent it. It can be dropped.');
  const isRequest = envelope.replyTo !== undefined;
  if (isRequest) await job.updateData(withoutDeadlines(lane, envelope, keys));
  // The starts of a batch tell which members have finished, so they are kept; those of an event are reset.
  await job.retry('failed', isRequest ? {} : { resetAttemptsMade: true, resetAttemptsStarted: true });
}

function withoutDeadlines(lane: string, envelope: Envelope, keys: QueueKeys): Envelope {
  if (keys === noKeys) throw new UnopenedError('A request can be replayed only with the queue keys.');
  try {
    return operatorCodec(keys).withoutDeadlines(lane, envelope);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UnopenedError(`The request cannot be opened. ${reason}`, { cause });
  }
}

/** The readable part of a job; its content stays sealed. */
function describeJob(lane: string, job: Job) {
  const { finishedOn, failedReason } = job as Partial<Job>;
  return {
    id: job.id ?? '',
    lane,
    addedAt: new Date(job.timestamp),
    ...(finishedOn && { parkedAt: new Date(finishedOn) }),
    /** Why the job was parked. */
    ...(failedReason && { reason: failedReason }),
    /** How often workers have started the job. */
    starts: job.attemptsStarted,
    /** The requests of the job; empty if it cannot be read. */
    requests: tryReadEnvelope(job)?.requests ?? [],
  };
}

/** @returns `undefined` if the job cannot be read */
function tryReadEnvelope(job: Job): Envelope | undefined {
  try {
    return readEnvelope(job.data);
  } catch {
    return undefined;
  }
}
