import { isNetwork, type Network, networks } from './networks.js';

/** The least and the most naira of one purchase. */
export interface AirtimeBounds {
  readonly least: number;
  readonly most: number;
}

const range = /^(?:([^=]+)=)?([1-9]\d{0,8})-([1-9]\d{0,8})$/;

let bounds = boundsOfText('1-100000');

/**
 * Of the networks together: what no network takes is refused whichever is meant. Changed in place, because decorators
 * keep what they were given, and what they tell of the interface has to be what holds.
 */
export const widestAirtimeBounds = { least: [1], most: [100_000] };

/** Chosen once, when the process starts (`AIRTIME_BOUNDS`): `1-100000`, or `1-100000,MTN=50-50000`. */
export function setAirtimeBounds(text: string): void {
  bounds = boundsOfText(text);
  widestAirtimeBounds.least[0] = Math.min(...Object.values(bounds).map(({ least }) => least));
  widestAirtimeBounds.most[0] = Math.max(...Object.values(bounds).map(({ most }) => most));
}

/** Of one network, or of all together when it is none. */
export const airtimeBoundsOf = (network: unknown): AirtimeBounds =>
  isNetwork(network)
    ? bounds[network]
    : { least: widestAirtimeBounds.least[0] ?? 0, most: widestAirtimeBounds.most[0] ?? 0 };

export function isAirtimeBounds(text: string): boolean {
  try {
    boundsOfText(text);
    return true;
  } catch {
    return false;
  }
}

/** The first range is that of every network that has none of its own. */
function boundsOfText(text: string): Readonly<Record<Network, AirtimeBounds>> {
  const [usual, ...own] = text.split(',').map(rangeOf);
  if (!usual || usual.network !== undefined) throw new Error(`"${text}" does not start with a range for all`);
  const named = new Map<Network, AirtimeBounds>();
  for (const { network, bounds: theirs } of own) {
    if (!isNetwork(network)) throw new Error(`"${text}" has a range for no network`);
    named.set(network, theirs);
  }
  const pairs = networks.map((network) => [network, named.get(network) ?? usual.bounds]);
  return Object.fromEntries(pairs) as Record<Network, AirtimeBounds>;
}

function rangeOf(text: string): { network: string | undefined; bounds: AirtimeBounds } {
  const [, network, least, most] = range.exec(text.trim()) ?? [];
  const found = { least: Number(least), most: Number(most) };
  if (!(found.least <= found.most)) throw new Error(`"${text}" is no range of whole naira`);
  return { network, bounds: found };
}
