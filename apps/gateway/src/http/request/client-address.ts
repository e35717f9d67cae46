import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** What is wrong with a `TRUSTED_PROXIES`; the text follows the name of the variable. */
export const proxiesFault = (text: string): string | undefined =>
  text.split(',').every((part) => isAddressOrRange(part.trim()))
    ? undefined
    : 'must be IP addresses or ranges, separated by commas, such as 10.0.0.0/8,127.0.0.1';

function isAddressOrRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  // A range of all addresses would let every client choose its own.
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

/** The address of the client, as far as the trusted proxies report it. The text of a proxy may be no address at all. */
export const clientAddress = (request: FastifyRequest): string =>
  isIP(request.ip) > 0 ? request.ip : (request.socket.remoteAddress ?? '');

/** What limits per client count by: an IPv4 address, or the /64 network of an IPv6 address, which one client usually has. */
export function clientNetwork(request: FastifyRequest): string {
  const address = clientAddress(request);
  return isIP(address) === 6 ? networkOf(address) : address;
}

export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(address);
  if (mapped?.[1] !== undefined) return mapped[1];
  const [head = [], tail = []] = address
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  const groups = [...head, ...zeros, ...tail]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16));
  return `${groups.join(':')}::/64`;
}
