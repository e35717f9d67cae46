import { networks } from '@gangan/contracts';

/** What the operators of the airtime enumeration are called, or were, in the files of others. */
const names: Readonly<Record<(typeof networks)[number], readonly string[]>> = {
  MTN: ['mtnnigeria', 'mtnng', 'mtnn'],
  Glo: ['globacom', 'glomobile', 'glonigeria', 'glong'],
  Airtel: ['airtelnigeria', 'airtelng', 'zain', 'celtel', 'econet'],
  '9mobile': [
    'etisalat',
    'etisalatnigeria',
    'etisalatng',
    'emts',
    '9mobilenigeria',
    '9mobileng',
    't2',
    't2mobile',
  ],
  NTEL: ['ntelnigeria', 'natcom', 'nitel'],
};

const known = new Map(
  networks.flatMap((network) =>
    [network.toLowerCase(), ...names[network]].map((name) => [name, network] as const),
  ),
);

/** As the interface spells it, if it is one of those that the interface knows. */
export const nigerianOperator = (name: string): string | undefined =>
  known.get(name.toLowerCase().replace(/[^a-z0-9]|\b(limited|ltd|plc)\b/g, ''));
