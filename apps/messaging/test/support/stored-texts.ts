import { DataSealer, newSealingKey } from '@gangan/sealing';
import { MessagingConfig } from '../../src/messaging.config.js';
import { SealedBodies } from '../../src/submit/sealed-bodies.js';
import { StoredTexts } from '../../src/text/stored-texts.js';

const sealer = new DataSealer([newSealingKey()]);

/** Workers with the same key; some of them seal texts. */
export const storedTexts = (SEAL_MESSAGES = false): StoredTexts =>
  new StoredTexts(sealer, new MessagingConfig({ SEAL_MESSAGES }));

export const sealedBodies = (): SealedBodies => new SealedBodies(sealer, [newSealingKey()]);
