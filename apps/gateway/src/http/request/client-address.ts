import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';

/** What is wrong with the value of `TRUSTED_PROXIES`; the text follows the name of the variable. */
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

/** What limits per client count by: the IPv4 address, or the /64 network of the IPv6 address, which one client usually has. */
export const clientNetwork = (request: FastifyRequest): string => networkOf(clientAddress(request));

export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const ip = ipaddr.process(address);
  if (ip instanceof ipaddr.IPv4) return ip.toString();
  // NAT64: the IPv4 address is in the last four bytes.
  if (ip.range() === 'rfc6052') return ip.toByteArray().slice(12).join('.');
  const groups = ip.parts.slice(0, 4).map((group) => group.toString(16));
  return `${groups.join(':')}::/64`;
}
