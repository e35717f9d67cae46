import { networks, parsePhone } from '@gangan/contracts';

export const registries = ['ported', 'dnd'] as const;
export type Registry = (typeof registries)[number];

export interface RegistryEntry {
  readonly phone: string;
  /** Of a ported number. */
  readonly operator?: string;
  /** The number is Nigerian, but the operator is not one of `networks`. */
  readonly isUnknownOperator?: true;
}

const maxOperatorLength = 64;
const nigeria = '234';

/** Other names of the networks, in lower case without spaces. */
const aliases: Readonly<Record<(typeof networks)[number], string>> = {
  MTN: 'mtnnigeria mtnng mtnn',
  Glo: 'globacom glomobile glonigeria glong',
  Airtel: 'airtelnigeria airtelng zain celtel econet',
  '9mobile': 'etisalat etisalatnigeria etisalatng emts 9mobilenigeria 9mobileng t2 t2mobile',
  NTEL: 'ntelnigeria natcom nitel',
};

const networkOfName = new Map(
  networks.flatMap((network) =>
    [network.toLowerCase(), ...aliases[network].split(' ')].map((name) => [name, network] as const),
  ),
);

const findNetwork = (operator: string): string | undefined =>
  networkOfName.get(operator.toLowerCase().replace(/[^a-z0-9]|\b(limited|ltd|plc)\b/g, ''));

/** The entry of a line, or why the line is rejected. */
export function readRegistryEntry(
  registry: Registry,
  [phone = '', operator = '']: readonly string[],
  region?: string,
): RegistryEntry | string {
  const number = parsePhone(phone, region);
  if (!number) return 'the first column is not a phone number';
  if (registry === 'dnd') return { phone: number.e164 };
  if (operator === '') return 'the second column, the operator, is missing';
  if (/\p{Cc}/u.test(operator)) return 'the operator contains control characters';
  if (operator.length > maxOperatorLength)
    return `the operator has more than ${maxOperatorLength} characters`;
  if (number.callingCode !== nigeria) return { phone: number.e164, operator };
  const network = findNetwork(operator);
  if (network !== undefined) return { phone: number.e164, operator: network };
  return { phone: number.e164, operator, isUnknownOperator: true };
}
