import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

const iterations = 4_096;

/**
 * The form in which Postgres stores a password (RFC 5803). A statement that contains it shows no password in the log of
 * the server. Only for visible ASCII: anything else would have to be normalised first.
 */
export function scramVerifier(password: string): string {
  if (!/^[!-~]+$/.test(password)) throw new Error('A database password must be visible ASCII characters');
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const keyOf = (name: string): Buffer => createHmac('sha256', salted).update(name).digest();
  const storedKey = createHash('sha256').update(keyOf('Client Key')).digest('base64');
  const serverKey = keyOf('Server Key').toString('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}
