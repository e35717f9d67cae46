import { type EventContract, newId } from '@gangan/protocol';
import type { Backend } from '../backends/backend.js';
import { laneOf } from '../lane.js';
import type { Codec, Parcel } from '../wire/codec.js';

export interface EmitOptions {
  /** Events with the same id are added once. For a row: `<id>-<attempt>`. */
  readonly jobId?: string;
  readonly delayMs?: number;
  /** 1 is the highest; events without a priority come before all others. */
  readonly priority?: number;
}

const hourSeconds = 3_600;

/** Adds an event to its lane. Finished events are kept for an hour, failed ones until an operator removes them. */
export async function addEvent(
  backend: Backend,
  codec: Codec,
  contract: EventContract,
  parcel: Parcel,
  { jobId, delayMs, priority }: EmitOptions,
): Promise<void> {
  const organisation = parcel.context.organisationId;
  const request = { id: newId(), name: contract.name, ...(organisation && { organisation }) };
  const envelope = codec.sealJob(undefined, [{ request, parcel: JSON.stringify(parcel) }]);
  const queue = await backend.queue(laneOf(contract).name);
  await queue.add(contract.name, envelope, {
    attempts: contract.attempts,
    backoff: { type: 'exponential', delay: contract.backoffMs, jitter: 0.2 },
    removeOnComplete: { age: hourSeconds, count: 1_000 },
    removeOnFail: false,
    ...(jobId && { jobId }),
    ...(delayMs && { delay: delayMs }),
    ...(priority && { priority }),
  });
}
