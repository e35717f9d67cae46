import { hkdfSync } from 'node:crypto';
import { lengths } from './sealing-keys.js';

/**
 * The key that `sender` shares with the app that serves `lane`, as base64. It reveals neither the master key nor the key of any
 * other sender or lane.
 */
export const deriveLaneKey = (master: string, sender: string, lane: string): string =>
  Buffer.from(
    hkdfSync('sha256', Buffer.from(master, 'base64'), '', `gangan-queue-key ${sender}/${lane}`, lengths.key),
  ).toString('base64');
