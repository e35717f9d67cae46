import type { Contract } from '@gangan/protocol';
import { laneOf } from '../lane.js';
import { type AppKeys, type LaneSender, MasterKeys, printLaneSender } from './queue-keys.js';

/** The key of an app that serves no lane, for what it stores itself: no other app has it. */
export const storageKeyOf = (app: string): LaneSender => ({ sender: app, lane: 'storage' });

/** The keys that an app needs: for each lane that it sends to, and for each sender of the lanes that it serves. */
export function neededKeys(app: string, contracts: readonly Contract[]): LaneSender[] {
  const needed = contracts.flatMap((contract) => {
    const { name: lane } = laneOf(contract);
    const senders =
      contract.servedBy === app ? contract.senders : contract.senders.filter((name) => name === app);
    return senders.map((sender) => ({ sender, lane }));
  });
  const servesNone = !contracts.some(({ servedBy }) => servedBy === app);
  const all = [...needed, ...(servesNone ? [storageKeyOf(app)] : [])];
  const byName = new Map(all.map((one) => [printLaneSender(one), one]));
  return [...byName.keys()].sort().flatMap((name) => byName.get(name) ?? []);
}

/** The value of `QUEUE_KEYS` for an app. */
export const deriveQueueKeys = (
  masters: readonly string[],
  app: string,
  contracts: readonly Contract[],
): string => new MasterKeys(masters).print(neededKeys(app, contracts));

/** The names of the keys that an app lacks, and of those that it does not need, such as `gateway/otp`. */
export const compareKeys = (keys: AppKeys, app: string, contracts: readonly Contract[]) =>
  keys.keys.compareWith(neededKeys(app, contracts).map(printLaneSender));
