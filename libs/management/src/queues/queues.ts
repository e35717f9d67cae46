import { allContracts } from '@gangan/contracts';
import { type JobView, type Lane, laneOf, type QueueAdmin, type QueueKeys } from '@gangan/queue';
import type { Access } from '../access.js';
import { audit, type AuditEntry } from '../audit.js';
import { Refusal } from '../refusal.js';

/** What a function that changes a lane works with. */
export interface QueueAccess extends Access {
  readonly queues: QueueAdmin;
}

/** Every lane of the contracts. */
export const lanes: readonly Lane[] = [
  ...new Map(allContracts.map(laneOf).map((known) => [known.name, known])).values(),
].sort((one, other) => one.name.localeCompare(other.name));

export async function listLanes(queues: QueueAdmin) {
  const states = await Promise.all(lanes.map(({ name }) => queues.state(name)));
  return states.map(({ failed: parked, oldestSeconds, paused, ...counts }) => {
    const oldest_seconds = Math.round(oldestSeconds);
    return { ...counts, parked, oldest_seconds, paused };
  });
}

/** The oldest parked jobs of a lane. */
export const listParked = async (queues: QueueAdmin, { name }: Lane, limit: number) =>
  (await queues.parked(name, 0, limit)).map(describeJob);

/** One job, parked or not; its content stays sealed. */
export async function findJob(queues: QueueAdmin, { name }: Lane, id: string) {
  const job = await queues.find(name, id);
  if (job) return describeJob(job);
  throw new Refusal('not_found', `There is no job ${id} in ${name}.`);
}

/** The content of a job in plain text: customer data. */
export async function openJob(access: QueueAccess, lane: Lane, id: string, keys: QueueKeys) {
  const job = await findJob(access.queues, lane, id);
  await record(access, 'queues show', { target: `${lane.name} ${id}`, after: { opened: true } });
  return { ...job, carries: (await access.queues.openSealed(lane.name, id, keys)) ?? [] };
}

/**
 * Runs a parked job again, or without an id all of the lane.
 * @param keys needed for requests, whose seal is bound to their deadline
 * @returns how many it replayed, and how many of all could not be opened and stay parked
 */
export async function replayParked(
  access: QueueAccess,
  lane: Lane,
  id: string | undefined,
  keys?: QueueKeys,
) {
  const { queues } = access;
  await record(access, 'queues replay', await parkedEntry(queues, lane, id));
  if (id === undefined) return queues.replayAll(lane.name, keys);
  if (!(await queues.replay(lane.name, id, keys))) throw notParked(lane, id);
  return { replayed: 1, unopened: 0 };
}

/** Deletes a parked job, or without an id all of the lane. Returns their number. */
export async function dropParked(access: QueueAccess, lane: Lane, id: string | undefined): Promise<number> {
  const { queues } = access;
  await record(access, 'queues drop', await parkedEntry(queues, lane, id));
  if (id === undefined) return queues.dropAll(lane.name);
  if (!(await queues.drop(lane.name, id))) throw notParked(lane, id);
  return 1;
}

/** Stops workers from taking jobs of a lane, or lets them take jobs again. */
export async function setPaused(access: QueueAccess, { name }: Lane, paused: boolean): Promise<void> {
  const { queues } = access;
  const action = paused ? 'queues pause' : 'queues resume';
  const before = { paused: (await queues.state(name)).paused };
  await record(access, action, { target: name, before, after: { paused } });
  await (paused ? queues.pause(name) : queues.resume(name));
}

/** Called before the change: the queue cannot join a transaction of the database. */
const record = ({ database, principal }: Access, action: string, entry: AuditEntry) =>
  audit(database, principal, action, entry);

export const describeParked = ({ name }: Lane, id: string | undefined): string =>
  id === undefined ? `all parked jobs of ${name}` : `job ${id} of ${name}`;

/** Whose requests a job contains, or the number of all parked jobs. */
async function parkedEntry(queues: QueueAdmin, lane: Lane, id: string | undefined): Promise<AuditEntry> {
  const target = describeParked(lane, id);
  if (id === undefined) return { target, before: { parked: (await queues.state(lane.name)).failed } };
  const found = await queues.find(lane.name, id);
  if (!found?.parkedAt) throw notParked(lane, id);
  const { contracts, requests, organisations } = describeJob(found);
  return { target, before: { contracts, requests, organisations } };
}

const notParked = ({ name }: Lane, id: string): Refusal =>
  new Refusal('not_found', `No job ${id} is parked in ${name}`, { next: 'list_parked', subject: name });

const describeJob = ({ id, reason, starts, requests, addedAt, parkedAt }: JobView) => ({
  job: id,
  contracts: [...new Set(requests.map(({ name }) => name))],
  requests: requests.map((request) => request.id),
  organisations: [...new Set(requests.flatMap(({ organisation }) => organisation ?? []))],
  reason,
  starts,
  added: addedAt,
  parked: parkedAt,
});
