import type { Network, ParsedPhone } from '@gangan/contracts';

const nigeria = '234';

/** The prefixes of national numbers in the Nigerian numbering plan. A test of lookup compares them with its library. */
const prefixes: Readonly<Record<Network, string>> = {
  MTN: '703 704 706 707 7025 7026 803 806 810 813 814 816 903 906 913 916',
  Airtel: '701 708 802 808 812 901 902 904 907 911 912',
  Glo: '705 805 807 811 815 905 915',
  '9mobile': '809 817 818 908 909',
  NTEL: '7021 7022 804',
};

const networkOfPrefix = new Map(
  Object.entries(prefixes).flatMap(([network, own]) =>
    own.split(' ').map((prefix) => [prefix, network as Network] as const),
  ),
);

export const isNigerian = ({ callingCode }: ParsedPhone): boolean => callingCode === nigeria;

/** The network of the range of a Nigerian number. Undefined for other and for invalid numbers. */
export function networkOfRange(phone: ParsedPhone): Network | undefined {
  if (!phone.valid || !isNigerian(phone)) return undefined;
  const { nationalNumber } = phone;
  return networkOfPrefix.get(nationalNumber.slice(0, 4)) ?? networkOfPrefix.get(nationalNumber.slice(0, 3));
}
