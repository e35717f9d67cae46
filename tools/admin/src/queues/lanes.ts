import { allContracts } from '@gangan/contracts';
import { type Lane, laneOf } from '@gangan/queue';
import { InvalidArgumentError } from 'commander';

/** Every lane that some contract travels by. */
export const lanes: readonly Lane[] = [
  ...new Map(allContracts.map(laneOf).map((known) => [known.name, known])).values(),
].sort((one, other) => one.name.localeCompare(other.name));

export function lane(text: string): Lane {
  const found = lanes.find(({ name }) => name === text);
  if (found) return found;
  throw new InvalidArgumentError(`The lanes are ${lanes.map(({ name }) => name).join(', ')}.`);
}
