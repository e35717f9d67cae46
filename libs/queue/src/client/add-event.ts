import { type EventContract, newId } from '@gangan/protocol';
import type { Backend } from '../backends/backend.js';
import { laneOf } from '../lane.js';
import type { Codec, Parcel } from '../wire/codec.js';

export interface EmitOptions {
  /** Adding the same id twice adds one job: `<row>-<attempt>`. */
  readonly jobId?: string;
  readonly delayMs?: number;
  /** 1 is first; without one a job goes before all that have one. */
  readonly priority?: number;
}

const HOUR_SECONDS = 3_600;

/** Puts an event into its lane. Finished ones are kept for a while to look at, failed ones until a person decides. */
export async function addEvent(
  backend: Backend,
  codec: Codec,
  contract: EventContract,
  parcel: Parcel,
  { jobId, delayMs, priority }: EmitOptions,
): Promise<void> {
  const id = newId();
  const organisation = parcel.context.organisationId;
  const request = { id, name: contract.name, ...(organisation && { organisation }) };
  const envelope = codec.sealJob(undefined, [{ request, parcel: JSON.stringify(parcel) }]);
  const queue = await backend.queue(laneOf(contract).name);
  await queue.add(contract.name, envelope, {
    attempts: contract.attempts,
    backoff: { type: 'exponential', delay: contract.backoffMs, jitter: 0.2 },
    removeOnComplete: { age: HOUR_SECONDS, count: 1_000 },
    removeOnFail: false,
    ...(jobId && { jobId }),
    ...(delayMs && { delay: delayMs }),
    ...(priority && { priority }),
  });
}
