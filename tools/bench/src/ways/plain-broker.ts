import type { Job } from 'bullmq';

/** BullMQ as its documentation shows it, and a channel for replies. */
export interface PlainBroker {
  add(data: object): Promise<unknown>;
  work(concurrency: number, process: (job: Job) => Promise<void>): Promise<void>;
  publish(channel: string, message: string): Promise<unknown>;
  subscribe(channel: string, listener: (message: string) => void): Promise<void>;
}

/** Finished jobs are removed, as in the transport. */
export const jobOptions = { removeOnComplete: true, removeOnFail: true };

export const queueName = 'one-job';
