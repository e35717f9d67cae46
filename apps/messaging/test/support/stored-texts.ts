import { newSealingKey } from '@gangan/sealing';
import { MessagingConfig } from '../../src/messaging.config.js';
import { SealedBodies } from '../../src/submit/sealed-bodies.js';
import { StoredTexts } from '../../src/text/stored-texts.js';
import { sealer } from './messaging-module.js';

/** Workers with the same key; some of them seal texts. */
export const storedTexts = (SEAL_MESSAGES = false): StoredTexts =>
  new StoredTexts(sealer, new MessagingConfig({ SEAL_MESSAGES }));

export const sealedBodies = (): SealedBodies => new SealedBodies(sealer, [newSealingKey()]);

/** As the callback worker does. */
export const openCallback = (
  { id, organisationId }: { readonly id: string; readonly organisationId: string },
  sealed: Uint8Array | null,
): string => sealer.open(sealed ?? Buffer.alloc(0), { column: 'callback.sealed_body', organisationId, id });
