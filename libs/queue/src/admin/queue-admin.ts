import { setTimeout as pause } from 'node:timers/promises';
import { QueueSealer } from '@gangan/sealing';
import type { Job } from 'bullmq';
import type { Backend, LaneQueue } from '../backends/backend.js';
import { openBackend } from '../backends/open-backend.js';
import { depthOf, type LaneDepth } from '../depths.js';
import type { QueueLogger } from '../observer.js';
import type { QueueSettings } from '../settings.js';
import { Codec, type Parcel } from '../wire/codec.js';
import { readEnvelope } from '../wire/envelope.js';
import { type JobView, viewOf } from './job-view.js';
import { withoutCaller } from './without-caller.js';

export interface LaneState extends LaneDepth {
  readonly paused: boolean;
}

const RETRY_MS = 50;

/** The operator's end of the transport: what lies in the lanes, and what is done about what was put aside. */
export class QueueAdmin {
  private constructor(private readonly backend: Backend) {}

  /** @throws when the broker does not answer within the patience given */
  static async open(
    settings: Pick<QueueSettings, 'connection' | 'namespace'>,
    logger: QueueLogger,
    patienceMs = 5_000,
  ): Promise<QueueAdmin> {
    const backend = await openBackend({ ...settings, keys: [] }, logger);
    const until = performance.now() + patienceMs;
    for (;;) {
      try {
        await backend.ping();
        return new QueueAdmin(backend);
      } catch (error) {
        if (performance.now() > until) {
          await backend.close();
          throw error;
        }
        await pause(RETRY_MS);
      }
    }
  }

  async state(lane: string): Promise<LaneState> {
    const queue = await this.backend.queue(lane);
    return { ...(await depthOf(this.backend, lane)), paused: await queue.isPaused() };
  }

  /** A page of what was put aside. */
  async parked(lane: string, from: number, count: number): Promise<JobView[]> {
    const queue = await this.backend.queue(lane);
    return (await page(queue, from, count)).map((job) => viewOf(lane, job));
  }

  /** Whether there is such a job, put aside or not. */
  async find(lane: string, id: string): Promise<JobView | undefined> {
    const job = await this.job(lane, id);
    return job && viewOf(lane, job);
  }

  /**
   * What a job carries, in clear: content, numbers, tokens.
   * @throws when it cannot be opened with these keys
   */
  async openSealed(lane: string, id: string, keys: readonly string[]): Promise<Parcel[] | undefined> {
    const job = await this.job(lane, id);
    return job && new Codec(new QueueSealer(keys)).openJob(readEnvelope(job.data));
  }

  /**
   * Runs a job again that was put aside; `false` when there is none of that id. An event simply runs again, with all
   * its attempts. A request runs without a caller: the one it had is gone, so its deadline no longer holds, and
   * nobody is given its answer. Of a batch, those that had finished are not run again.
   */
  async replay(lane: string, id: string): Promise<boolean> {
    const job = await this.parkedJob(lane, id);
    if (job) await run(job);
    return job !== undefined;
  }

  /** Forgets a job that was put aside; `false` when there is none of that id. */
  async drop(lane: string, id: string): Promise<boolean> {
    const job = await this.parkedJob(lane, id);
    await job?.remove();
    return job !== undefined;
  }

  /** Replays all that lies there now; gives how many. */
  replayAll(lane: string): Promise<number> {
    return this.all(lane, run);
  }

  dropAll(lane: string): Promise<number> {
    return this.all(lane, (job) => job.remove());
  }

  /** Workers take nothing more from the lane; what they have begun they finish. */
  async pause(lane: string): Promise<void> {
    await (await this.backend.queue(lane)).pause();
  }

  async resume(lane: string): Promise<void> {
    await (await this.backend.queue(lane)).resume();
  }

  close(): Promise<void> {
    return this.backend.close();
  }

  /** What is put aside again meanwhile is left alone, or a job that always fails would keep us here for ever. */
  private async all(lane: string, act: (job: Job) => Promise<void>): Promise<number> {
    const queue = await this.backend.queue(lane);
    const begun = Date.now();
    let done = 0;
    for (let passed = 0; ;) {
      const [job] = await page(queue, passed, 1);
      if (!job) return done;
      if ((job.finishedOn ?? 0) > begun) {
        passed += 1;
      } else {
        await act(job);
        done += 1;
      }
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

/** Oldest first. */
const page = (queue: LaneQueue, from: number, count: number): Promise<Job[]> =>
  queue.getJobs(['failed'], from, from + count - 1, true);

async function run(job: Job): Promise<void> {
  const envelope = readable(job);
  const isRequest = envelope?.replyTo !== undefined;
  if (isRequest) await job.updateData(withoutCaller(envelope));
  // A batch remembers by its starts which of its members have finished; an event that died is forgiven its deaths.
  await job.retry('failed', isRequest ? {} : { resetAttemptsMade: true, resetAttemptsStarted: true });
}

function readable(job: Job): ReturnType<typeof readEnvelope> | undefined {
  try {
    return readEnvelope(job.data);
  } catch {
    return undefined;
  }
}
