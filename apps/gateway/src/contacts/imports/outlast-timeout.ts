import type { Socket } from 'node:net';

interface WithParser {
  readonly parser?: { readonly remove?: () => void } | null;
}

/**
 * Node closes connections whose request takes too long to arrive as a whole, with one limit for all of them. A file may
 * take longer; who reads it watches over its time. Off Node's list it stays until the request has arrived.
 */
export const outlastRequestTimeout = (socket: Socket): void => {
  (socket as WithParser).parser?.remove?.();
};
